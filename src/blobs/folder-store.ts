/** Stores bytes in a folder, as `sha256/ab/cdef…`. Several processes and machines may share it. */
import { randomUUID } from 'node:crypto'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FilesFolder } from '../config/files-place.ts'
import { makePrivate, syncFolder } from '../database/private-folder.ts'
import { errorText } from '../errors.ts'
import { createLimit } from '../limit.ts'
import { type BlobStore, requireStore, type StoredBlob } from './blob-store.ts'
import { MissingBlob } from './missing-blob.ts'
import { writeAll } from './received-file.ts'

const algorithm = 'sha256'
const readBytes = 262_144
const copiedBytes = 1_048_576

// Waiting for the disk takes one of the four threads that read files and look up names for the whole process.
const limit = createLimit(2)

export const openFolderStore = ({ folder, isOwn }: FilesFolder): BlobStore => {
  const findFault = async (): Promise<string | undefined> => {
    try {
      return (await stat(folder)).isDirectory() ? undefined : `${folder} is not a folder`
    } catch (error) {
      return isOwn && isMissing(error) ? undefined : errorText(error)
    }
  }
  const prepare = async (): Promise<string> => {
    if (isOwn) await makePrivate(folder)
    else await requireStore({ findFault })
    return folder
  }
  const placeOf = (sha256: string) => {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`${sha256} is not a SHA-256.`)
    const parent = join(folder, algorithm, sha256.slice(0, 2))
    const name = sha256.slice(2)
    return { parent, name, path: join(parent, name) }
  }
  const absent = (sha256: string) => (error: unknown) => {
    if (isMissing(error)) throw new MissingBlob(sha256, folder, { cause: error })
    throw error
  }
  return {
    name: folder,
    isInBackups: true,
    findFault,
    prepare,
    put: (sha256, file) =>
      limit(async () => {
        const { parent, path } = placeOf(sha256)
        await prepare()
        await makeFolder(join(folder, algorithm))
        await makeFolder(parent)
        await writeWhole(path, file)
        await syncFolder(parent)
      }),
    open: async (sha256, range) => {
      const file = await open(placeOf(sha256).path, 'r').catch(absent(sha256))
      return file.createReadStream({
        highWaterMark: readBytes,
        ...(range && { start: range.first, end: range.last }),
      })
    },
    sizeOf: async (sha256) => {
      const found = await stat(placeOf(sha256).path).catch(undefinedIfMissing)
      return found?.size
    },
    remove: async (sha256) => {
      const { parent, name } = placeOf(sha256)
      const names = (await readdir(parent).catch(undefinedIfMissing)) ?? []
      for (const one of names.filter((found) => found.startsWith(name)))
        await rm(join(parent, one), { force: true })
    },
    list: () => listFolder(join(folder, algorithm)),
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const undefinedIfMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error
}

/** Not with the folders above: one that is not mounted must not be created. */
const makeFolder = (path: string): Promise<void> =>
  mkdir(path, { mode: 0o700 }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })

/** Renamed when its bytes are on the disk. */
const writeWhole = async (path: string, file: FileHandle): Promise<void> => {
  const part = `${path}.${randomUUID()}.part`
  try {
    const target = await open(part, 'wx', 0o600)
    try {
      await copyBytes(file, target)
      await target.sync()
    } finally {
      await target.close()
    }
    await rename(part, path)
  } catch (error) {
    await rm(part, { force: true })
    throw error
  }
}

const copyBytes = async (file: FileHandle, target: FileHandle): Promise<void> => {
  const buffer = Buffer.allocUnsafe(copiedBytes)
  for (let at = 0; ; ) {
    const { bytesRead } = await file.read(buffer, 0, copiedBytes, at)
    if (bytesRead === 0) return
    await writeAll(target, buffer.subarray(0, bytesRead), at)
    at += bytesRead
  }
}

/** The files of each folder are one page; its parts are none. */
async function* listFolder(folder: string): AsyncGenerator<readonly StoredBlob[]> {
  const parents = (await readdir(folder).catch(undefinedIfMissing)) ?? []
  for (const parent of parents.filter((name) => /^[0-9a-f]{2}$/.test(name)).sort()) {
    const page: StoredBlob[] = []
    for (const name of (await readdir(join(folder, parent))).sort()) {
      const found = /^[0-9a-f]{62}$/.test(name)
        ? await stat(join(folder, parent, name)).catch(undefinedIfMissing)
        : undefined
      if (found) page.push({ sha256: parent + name, bytes: found.size })
    }
    yield page
  }
}
