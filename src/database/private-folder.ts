/** The project's `.docket/` folder, which no other user may access: records, keys and caught e-mails. */
import { chmod, chown, mkdir, open, stat } from 'node:fs/promises'

/**
 * Creates the folder if necessary, and allows only its owner. The group may pass through it without
 * listing it: the embedded server of root runs as another user.
 */
export const makePrivate = async (directory: string, group?: number): Promise<void> => {
  await mkdir(directory, { recursive: true, mode: 0o700 })
  const { mode, uid, gid } = await stat(directory)
  if (group !== undefined && group !== gid) await chown(directory, uid, group)
  // A folder of an earlier version, or created by hand, may have other permissions.
  const permissions = group === undefined ? mode & 0o710 : 0o710
  if ((mode & 0o777) !== permissions) await chmod(directory, permissions)
}

/** What was renamed or removed in the folder stays so after a power failure. */
export const syncFolder = async (directory: string): Promise<void> => {
  if (process.platform === 'win32') return
  const folder = await open(directory, 'r')
  await folder.sync().finally(() => folder.close())
}
