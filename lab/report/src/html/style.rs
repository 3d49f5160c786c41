//! The style sheet: system fonts, two palettes (contrast of text at least 4.5:1 on both), a print form.

/// Light colours; print uses them too.
const LIGHT: &str = "color-scheme:light;--hd-ink:#1b2330;--hd-quiet:#566070;--hd-line:#d9dee5;--hd-band:#e4eaf2;\
--hd-blue:#0b5cad;--hd-orange:#a84d00;--purple:#7a3592;--hd-paper:#fff;--raised:#f6f8fa";

const DARK: &str = "color-scheme:dark;--hd-ink:#e6eaf0;--hd-quiet:#a3adba;--hd-line:#343c48;--hd-band:#253041;\
--hd-blue:#7cb7ff;--hd-orange:#ffae5f;--purple:#d5a6ec;--hd-paper:#11151b;--raised:#1a2029";

const RULES: &str = "\
*{box-sizing:border-box}\
html{scroll-padding-top:4rem}\
body{margin:0;background:var(--hd-paper);color:var(--hd-ink);font:16px/1.55 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}\
main,footer{max-width:72rem;margin:0 auto;padding:0 1.25rem}\
footer{padding-top:3rem;padding-bottom:3rem;color:var(--hd-quiet)}\
h1{font-size:1.9rem;line-height:1.2;margin:2.5rem 0 1rem;overflow-wrap:anywhere}\
h2{font-size:1.35rem;margin:3.5rem 0 .75rem;overflow-wrap:anywhere}\
h3{font-size:1.08rem;margin:2.25rem 0 .5rem;overflow-wrap:anywhere}\
details h3{font-size:.95rem;margin:1.5rem 0 .25rem}\
p,li,dd{overflow-wrap:anywhere;max-width:46rem}\
a{color:var(--hd-blue)}\
:focus-visible{outline:3px solid var(--hd-blue);outline-offset:2px}\
.quiet{color:var(--hd-quiet)}\
.lead{font-size:1.2rem;line-height:1.45}\
.alert{border-left:4px solid var(--hd-orange);padding:.5rem 1rem;background:var(--raised)}\
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
.skip{position:absolute;left:-999px}.skip:focus{left:1rem;top:1rem;z-index:2;background:var(--hd-paper);padding:.5rem}\
.bar{position:sticky;top:0;z-index:1;display:flex;flex-wrap:wrap;gap:.25rem 1.25rem;align-items:center;\
padding:.5rem 1.25rem;background:var(--hd-paper);border-bottom:1px solid var(--hd-line)}\
.bar nav{display:flex;flex-wrap:wrap;gap:.25rem 1rem;flex:1 1 18rem}.bar nav a{text-decoration:none}\
.switch{border:0;padding:0;margin:0;font-size:.9rem}\
.switch legend{float:left;padding:0 .75rem 0 0;color:var(--hd-quiet)}.switch legend.hidden{float:none}\
.switch label{margin:0 .75rem 0 .25rem}.item{white-space:nowrap}\
.key .item{margin-right:1rem}.swatch{display:inline-block;width:1.5rem;height:.8rem;background:var(--hd-band);border:1px solid var(--hd-line)}\
.moved{list-style:none;padding:0}\
.scroll{overflow-x:auto;margin:.5rem 0 1.25rem}.scroll svg.hd{min-width:40rem}.scroll svg.hd,.chart svg.hd{max-width:62rem}\
.tight{display:none}.tight svg.hd{max-width:30rem}.chart{margin:.5rem 0 1rem}\
.scroll{background:linear-gradient(90deg,var(--hd-paper),transparent) 0 0/2.5rem 100% no-repeat local,\
linear-gradient(270deg,var(--hd-paper),transparent) 100% 0/2.5rem 100% no-repeat local,\
linear-gradient(90deg,var(--hd-line),transparent) 0 0/.8rem 100% no-repeat scroll,\
linear-gradient(270deg,var(--hd-line),transparent) 100% 0/.8rem 100% no-repeat scroll}\
table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.9rem;min-width:30rem}\
caption{text-align:left;color:var(--hd-quiet);padding-bottom:.35rem}\
th,td{padding:.3rem .8rem .3rem 0;text-align:right;border-bottom:1px solid var(--hd-line);vertical-align:baseline;white-space:nowrap}\
th{font-weight:600}tbody th{font-weight:400}\
thead th{white-space:normal;vertical-align:bottom;line-height:1.25}\
.dense{font-size:.8rem}.dense th,.dense td{padding-right:.55rem}\
th:first-child{position:sticky;left:0;background:var(--hd-paper)}tbody tr:hover>*{background:var(--raised)}\
th:first-child,td:first-child,.text{text-align:left}\
td.long{white-space:normal;overflow-wrap:anywhere;min-width:14rem;text-align:left}\
.better{color:var(--hd-blue);font-weight:600}.worse{color:var(--hd-orange);font-weight:600}\
.status{color:var(--purple);font-weight:600}\
pre{overflow-x:auto;background:var(--raised);padding:.75rem 1rem;font-size:.85rem;white-space:pre-wrap;overflow-wrap:anywhere}\
.data pre{user-select:all;white-space:pre;overflow:auto;max-height:18rem;margin-top:0;font-size:.75rem}\
details{border-bottom:1px solid var(--hd-line)}details>*{max-width:100%}\
summary{cursor:pointer;padding:.6rem 0}summary strong{font-weight:600}\
.map td{padding:0;border:1px solid var(--hd-paper);text-align:center}.map thead th{text-align:center;min-width:4.2rem}\
.map thead th:first-child{text-align:left}.map tbody th{border-bottom-color:var(--hd-paper)}.map td a{display:block;padding:.3rem .5rem;color:inherit;text-decoration:none}\
.map td a:hover{text-decoration:underline}\
.b1{background:color-mix(in srgb,var(--hd-blue) 12%,transparent)}.b2{background:color-mix(in srgb,var(--hd-blue) 24%,transparent)}\
.b3{background:color-mix(in srgb,var(--hd-blue) 38%,transparent)}.w1{background:color-mix(in srgb,var(--hd-orange) 12%,transparent)}\
.w2{background:color-mix(in srgb,var(--hd-orange) 24%,transparent)}.w3{background:color-mix(in srgb,var(--hd-orange) 38%,transparent)}\
.tools{display:flex;flex-wrap:wrap;gap:.5rem 1.25rem;align-items:center;margin:.5rem 0 1rem}.tools[hidden]{display:none}\
.tools label{display:flex;gap:.5rem;align-items:center}\
input[type=search],select{font:inherit;color:inherit;background:var(--hd-paper);border:1px solid var(--hd-quiet);border-radius:4px;padding:.25rem .5rem}\
.from-zero{display:none}\
:root:has(#view-zero:checked) .from-zero{display:block}:root:has(#view-zero:checked) .close-up{display:none}\
@media (max-width:40rem){body{font-size:15px}h1{font-size:1.5rem;margin-top:1.5rem}h2{margin-top:2.5rem}.lead{font-size:1.08rem}\
.bar{position:static}.bar nav{order:3;flex-basis:100%}.roomy{display:none}.tight{display:block}\
main,footer{padding-left:1rem;padding-right:1rem}table{font-size:.82rem;min-width:0}th,td{padding-right:.6rem}\
td.long{min-width:9rem}.tools label{width:100%}.tools input,.tools select{flex:1;min-width:0}.key .item{white-space:normal}}\
@page{margin:14mm 12mm}\
@media print{.bar,.skip,.data,.tools,fieldset{display:none}body{font-size:10pt}main,footer{max-width:none;padding:0}\
svg.hd,tr,p{break-inside:avoid}h1{margin-top:0}h2{margin-top:1.5rem}caption,summary{break-after:avoid}\
.scroll{background:none}.scroll svg.hd{min-width:0}.roomy{display:block}.tight{display:none}a{color:inherit;text-decoration:none}\
table{font-size:7.5pt;min-width:0}.dense{font-size:6.2pt}th,td,.dense th,.dense td{padding:.12rem .4rem .12rem 0}.swatch,rect,.map td{print-color-adjust:exact}\
h2,h3{break-after:avoid}.scroll{overflow:visible}details::details-content{content-visibility:visible;block-size:auto}}";

/// Everything, charts included.
pub(super) fn sheet() -> String {
    format!(
        ":root{{{LIGHT}}}@media (prefers-color-scheme:dark){{:root{{{DARK}}}}}\
         :root:has(#theme-light:checked){{{LIGHT}}}:root:has(#theme-dark:checked){{{DARK}}}\
         @media print{{:root,:root:has(#theme-dark:checked){{{LIGHT}}}}}{}{RULES}",
        humdrum_charts::STYLE
    )
}
