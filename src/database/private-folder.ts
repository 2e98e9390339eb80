/** The project's `.docket/` folder: records, keys and caught e-mails, which no other user may see. */
import { chmod, chown, mkdir, stat } from 'node:fs/promises'

/**
 * Makes the folder where there is none, and closes it to everybody but its owner. A group that is
 * given passes through it, and lists nothing: the embedded server of root runs as another user.
 */
export const makePrivate = async (directory: string, group?: number): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { mode, uid, gid } = await stat(directory)
  if (group !== undefined && group !== gid) await chown(directory, uid, group)
  // Of an earlier version, or made by hand: open to whom the umask let in.
  const wanted = group === undefined ? mode & 0o710 : 0o710
  if ((mode & 0o777) !== wanted) await chmod(directory, wanted)
}
