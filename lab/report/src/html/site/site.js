(() => {
  const words = (text) => text.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (text, wanted) => wanted.every((word) => text.toLowerCase().includes(word));
  const told = (place, count, of) => {
    if (place) place.textContent = count === of ? "" : `${count} of ${of}`;
  };
  for (const tools of document.querySelectorAll(".tools")) tools.hidden = false;

  const find = document.getElementById("find-text");
  if (find) {
    const all = [...document.querySelectorAll("#find li")];
    const details = document.querySelector("#find details");
    find.addEventListener("input", () => {
      const wanted = words(find.value);
      let shown = 0;
      for (const item of all) {
        item.hidden = !has(item.textContent, wanted);
        if (!item.hidden) shown += 1;
      }
      details.open = wanted.length > 0;
      told(document.getElementById("find-told"), shown, all.length);
    });
  }

  const test = document.getElementById("filter-test");
  if (test) {
    const release = document.getElementById("filter-release");
    const verdict = document.getElementById("filter-verdict");
    const maps = [...document.querySelectorAll("table.map")];
    const filter = () => {
      let shown = 0, of = 0;
      for (const map of maps) {
        const heads = [...map.tHead.rows[0].cells];
        const columns = heads.map((head, at) => at === 0 || has(head.textContent, words(release.value)));
        heads.forEach((head, at) => { head.hidden = !columns[at]; });
        let rows = 0;
        for (const row of map.tBodies[0].rows) {
          const cells = [...row.cells];
          cells.forEach((cell, at) => { cell.hidden = !columns[at]; });
          const kinds = cells.filter((cell, at) => at > 0 && columns[at]).map((cell) => cell.dataset.kind);
          const kind = verdict.value;
          row.hidden = !has(cells[0].textContent, words(test.value)) || (kind !== "" && !kinds.includes(kind));
          of += 1;
          if (!row.hidden) { shown += 1; rows += 1; }
        }
        map.closest("section").hidden = rows === 0 || columns.filter(Boolean).length < 2;
      }
      told(document.getElementById("filter-told"), shown, of);
    };
    for (const input of [test, release, verdict]) input.addEventListener("input", filter);
    filter();
  }
})();
