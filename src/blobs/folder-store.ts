/** Stores bytes in a folder, as `sha256/ab/cdef…`, and receives them in `received`. Several processes and machines may share it. */
import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FilesFolder } from '../config/files-place.ts'
import { makePrivate, syncFolder } from '../database/private-folder.ts'
import { errorText } from '../errors.ts'
import { createLimit } from '../limit.ts'
import {
  type BlobStore,
  MissingBlob,
  type NewBlob,
  requireStore,
  type StoredBlob,
} from './blob-store.ts'
import { FileStream } from './file-stream.ts'

const algorithm = 'sha256'
/** Since anything was written to a file that is received, scanned or written to the disk. */
const abandonedMs = 3_600_000

// Waiting for the disk takes one of the four threads that read files and look up names for the whole process.
const limit = createLimit(2)

export const openFolderStore = ({ folder, isOwn }: FilesFolder): BlobStore => {
  const receiving = join(folder, 'received')
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
    return { parent, path: join(parent, sha256.slice(2)) }
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
    create: async (): Promise<NewBlob> => {
      await prepare()
      await makeFolder(receiving)
      const received = join(receiving, randomUUID())
      const file = await open(received, 'wx+', 0o600)
      return {
        file,
        keep: (sha256) =>
          limit(async () => {
            const { parent, path } = placeOf(sha256)
            await makeFolder(join(folder, algorithm))
            await makeFolder(parent)
            await file.sync()
            await rename(received, path)
            await syncFolder(parent)
          }),
        close: async () => {
          await file.close()
          await rm(received, { force: true })
        },
      }
    },
    open: async (sha256, range) => {
      const file = await open(placeOf(sha256).path, 'r').catch(absent(sha256))
      return new FileStream(file, range)
    },
    sizeOf: async (sha256) => {
      const found = await stat(placeOf(sha256).path).catch(undefinedIfMissing)
      return found?.size
    },
    remove: (sha256) => rm(placeOf(sha256).path, { force: true }),
    list: () => listFolder(join(folder, algorithm)),
    removeAbandoned: async () => {
      for (const name of (await readdir(receiving).catch(undefinedIfMissing)) ?? []) {
        const path = join(receiving, name)
        const found = await stat(path).catch(undefinedIfMissing)
        if (found && found.mtimeMs < Date.now() - abandonedMs) await rm(path, { force: true })
      }
    },
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

const undefinedIfMissing = (error: unknown): undefined => {
  if (!isMissing(error)) throw error
}

/** Not with the folders above: one that is not mounted must not be created. */
const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path, { mode: 0o700 })
    await syncFolder(dirname(path))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** The files of each folder are one page. */
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
