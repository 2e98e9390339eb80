/** Where the bytes of an export go until it is known to be whole: a file that the user chose, one of the browser, memory. */
import { createExportFile, type ExportFile } from '../../api/own/export-files.ts'

/** A file that the page offers to save. */
export type OfferedFile = {
  readonly url: string
  /** Called when the page offers it no more. */
  readonly forget: () => void
}

export type FileTarget = {
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>
  /** Keeps what was written; undefined if the user has chosen its place. */
  readonly keep: () => Promise<OfferedFile | undefined>
  readonly discard: () => Promise<void>
}

/** The most that a tab should hold in memory, and that every browser keeps in a Blob. */
export const maxMemoryBytes = 256_000_000

export class TooLarge extends Error {}

type SavePicker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>

type RemovableHandle = FileSystemFileHandle & { readonly remove?: () => Promise<void> }

/** Only Chromium has it, with HTTPS or on localhost. */
const findPicker = (): SavePicker | undefined => {
  const scope: Window & { readonly showSaveFilePicker?: SavePicker } = window
  return scope.showSaveFilePicker?.bind(scope)
}

/** Asks the user for a file where the browser can; undefined if the user chooses none. */
export const chooseTarget = async (suggestedName: string): Promise<FileTarget | undefined> => {
  const picker = findPicker()
  if (!picker) return storedTarget()
  try {
    return await chosenTarget(await picker({ suggestedName }))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  }
}

/** The browser writes a copy, which replaces the file when the target is kept. */
const chosenTarget = async (handle: RemovableHandle): Promise<FileTarget> => {
  // The picker creates an empty file.
  const wasEmpty = (await handle.getFile()).size === 0
  const stream = await handle.createWritable()
  return {
    write: (bytes) => stream.write(bytes),
    keep: async () => {
      await stream.close()
      return undefined
    },
    discard: async () => {
      await stream.abort().catch(() => undefined)
      if (wasEmpty) await handle.remove?.().catch(() => undefined)
    },
  }
}

// A download may go on after the page has stopped offering the file.
const keptMs = 600_000

/** A file in the storage of the browser; where there is none, memory. */
const storedTarget = async (): Promise<FileTarget> => {
  const stored = await createExportFile()
  if (!stored) return memoryTarget()
  const { stream, remove } = stored
  return {
    write: (bytes) => stream.write(bytes),
    keep: async () => {
      await stream.close()
      return offered(stored)
    },
    discard: async () => {
      await stream.abort().catch(() => undefined)
      await remove()
    },
  }
}

const offered = async ({ handle, remove }: ExportFile): Promise<OfferedFile> => {
  const url = URL.createObjectURL(await handle.getFile())
  const end = () => {
    URL.revokeObjectURL(url)
    void remove()
  }
  return { url, forget: () => void setTimeout(end, keptMs) }
}

const memoryTarget = (): FileTarget => {
  let parts: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  return {
    write: async (bytes) => {
      total += bytes.length
      if (total > maxMemoryBytes) throw new TooLarge()
      parts.push(bytes)
    },
    keep: async () => {
      const url = URL.createObjectURL(new Blob(parts))
      return { url, forget: () => URL.revokeObjectURL(url) }
    },
    discard: async () => {
      parts = []
    },
  }
}
