/**
 * Files of exports in the storage of the browser (OPFS) until they are saved, so that a page need not hold them in
 * memory. A page holds a lock for each of its files; what nobody holds was left behind, and is removed at the next start.
 */

const folderName = 'docket-exports'
const lockOf = (name: string): string => `${folderName}/${name}`

const openFolder = async (create: boolean): Promise<FileSystemDirectoryHandle | undefined> => {
  try {
    return await (await navigator.storage.getDirectory()).getDirectoryHandle(folderName, { create })
  } catch {
    // Without HTTPS there is no such storage, in some private windows neither.
    return undefined
  }
}

/** Holds a lock until the function that it returns is called, or the page is gone. */
const hold = async (lock: string): Promise<() => void> => {
  const held = Promise.withResolvers<void>()
  const end = Promise.withResolvers<void>()
  void navigator.locks.request(lock, () => {
    held.resolve()
    return end.promise
  })
  await held.promise
  return end.resolve
}

export type ExportFile = {
  readonly handle: FileSystemFileHandle
  readonly stream: FileSystemWritableFileStream
  readonly remove: () => Promise<void>
}

/** A new file; undefined where the browser stores none. */
export const createExportFile = async (): Promise<ExportFile | undefined> => {
  const folder = await openFolder(true)
  if (!folder) return undefined
  const name = crypto.randomUUID()
  const letGo = await hold(lockOf(name))
  const remove = async () => {
    await folder.removeEntry(name).catch(() => undefined)
    letGo()
  }
  try {
    const handle = await folder.getFileHandle(name, { create: true })
    return { handle, stream: await handle.createWritable(), remove }
  } catch {
    await remove()
    return undefined
  }
}

/** Removes the files that no page holds any more. */
export const removeLeftFiles = async (): Promise<void> => {
  const folder = await openFolder(false)
  if (!folder) return
  for await (const name of folder.keys())
    await navigator.locks.request(lockOf(name), { ifAvailable: true }, async (lock) => {
      if (lock) await folder.removeEntry(name).catch(() => undefined)
    })
}

/** Removes all of them: anyone who uses the browser next must not find them. */
export const removeExportFiles = async (): Promise<void> => {
  const folder = await openFolder(false)
  if (!folder) return
  for await (const name of folder.keys()) await folder.removeEntry(name).catch(() => undefined)
}
