//! The file system and the device below a folder.

use std::path::Path;

use humdrum_model::Storage;

use crate::system::read;

/// The file system, mount options and device of `folder`.
pub(super) fn of(folder: &Path) -> Storage {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let Some((number, storage)) = mounted_at(&read("/proc/self/mountinfo"), &folder) else {
        return Storage::default();
    };
    Storage { device_model: device_model(&number), ..storage }
}

/// The device number of a folder's mount, and everything about it but the device's model, from the text of
/// /proc/self/mountinfo. Of several mounts on one folder the last one is in effect.
fn mounted_at(mountinfo: &str, folder: &Path) -> Option<(String, Storage)> {
    let mounts = mountinfo.lines().filter_map(mount);
    let holding = mounts.filter(|(place, ..)| folder.starts_with(place));
    let (_, number, storage) = holding.max_by_key(|(place, ..)| Path::new(place).components().count())?;
    Some((number, storage))
}

/// `27 1 254:0 / /data rw,noatime shared:1 - ext4 /dev/vda rw,discard`: place, device number, the rest.
fn mount(line: &str) -> Option<(String, String, Storage)> {
    let (left, right) = line.split_once(" - ")?;
    let left: Vec<&str> = left.split(' ').collect();
    let right: Vec<&str> = right.split(' ').collect();
    let (&[_, _, number, _, place, own, ..], &[file_system, device, whole, ..]) = (&left[..], &right[..])
    else {
        return None;
    };
    let mut options: Vec<&str> = own.split(',').collect();
    options.extend(whole.split(',').filter(|option| !own.split(',').any(|known| known == *option)));
    let storage = Storage {
        file_system: file_system.to_owned(),
        mount_options: options.join(","),
        device: unescaped(device),
        device_model: String::new(),
    };
    Some((unescaped(place), number.to_owned(), storage))
}

/// The kernel writes blanks and backslashes of paths as octal numbers.
fn unescaped(path: &str) -> String {
    let escapes = [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")];
    escapes.iter().fold(path.to_owned(), |text, (escape, letter)| text.replace(escape, letter))
}

/// The model of a block device or of the disk that it is a partition of, else the name of its driver.
fn device_model(number: &str) -> String {
    let place = Path::new("/sys/dev/block").join(number);
    let folders = [place.join("device"), place.join("../device")];
    let models = folders.iter().map(|folder| read(folder.join("model")));
    let drivers = folders.iter().filter_map(|folder| folder.join("driver").canonicalize().ok());
    let names = drivers.filter_map(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    models.chain(names).find(|name| !name.is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "22 27 0:21 / /proc rw,relatime - proc proc rw\n\
        27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard\n\
        40 27 259:1 / /my\\040data rw,noatime shared:5 - xfs /dev/nvme0n1p1 rw,attr2\n\
        41 40 0:50 / /my\\040data rw - tmpfs tmpfs rw,size=4k\n\
        a line that is none";

    #[test]
    fn the_nearest_and_last_mount_holds_a_folder() {
        let at = |path: &str| mounted_at(MOUNTS, Path::new(path)).expect("a mount");
        let (number, storage) = at("/home/me");
        assert_eq!((number.as_str(), storage.file_system.as_str()), ("254:0", "ext4"));
        assert_eq!(
            (storage.mount_options.as_str(), storage.device.as_str()),
            ("rw,relatime,discard", "/dev/vda")
        );
        assert_eq!(at("/my data/base").1.file_system, "tmpfs");
        assert_eq!(at("/my datas").1.file_system, "ext4", "names are compared whole");
        assert_eq!(mounted_at("", Path::new("/")), None);
    }

    #[test]
    fn this_host_says_what_holds_its_folder_for_temporary_files() {
        assert!(!of(&std::env::temp_dir()).file_system.is_empty());
    }
}
