/** Where the bytes of an export go until it is known to be whole: to a file that the user chose, or to memory. */

export type FileTarget = {
  readonly write: (bytes: Uint8Array<ArrayBuffer>) => Promise<void>
  /** Keeps what was written; the address of the file, if the page has it in memory. */
  readonly keep: () => Promise<string | undefined>
  readonly discard: () => Promise<void>
}

/** More than a tab should hold in memory, and than browsers keep in a Blob everywhere. */
export const maxMemoryBytes = 256_000_000

export class TooLarge extends Error {}

type SavePicker = (options: { readonly suggestedName: string }) => Promise<FileSystemFileHandle>

type RemovableHandle = FileSystemFileHandle & { readonly remove?: () => Promise<void> }

/** Chromium alone has it, and only with HTTPS or on the machine itself. */
const findPicker = (): SavePicker | undefined => {
  const scope: Window & { readonly showSaveFilePicker?: SavePicker } = window
  return scope.showSaveFilePicker?.bind(scope)
}

export const canStreamToDisk = (): boolean => findPicker() !== undefined

/** Asks for a file where browsers can; undefined if the user takes none. */
export const chooseTarget = async (suggestedName: string): Promise<FileTarget | undefined> => {
  const picker = findPicker()
  if (!picker) return memoryTarget()
  try {
    return await diskTarget(await picker({ suggestedName }))
  } catch (error) {
    if (error instanceof DOMException && error.name === 'AbortError') return undefined
    throw error
  }
}

/** The browser writes beside the file, and replaces it when the target is kept. */
const diskTarget = async (handle: RemovableHandle): Promise<FileTarget> => {
  // The picker itself makes an empty file where there was none.
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

const memoryTarget = (): FileTarget => {
  let parts: Uint8Array<ArrayBuffer>[] = []
  let total = 0
  return {
    write: async (bytes) => {
      total += bytes.length
      if (total > maxMemoryBytes) throw new TooLarge()
      parts.push(bytes)
    },
    keep: async () => URL.createObjectURL(new Blob(parts)),
    discard: async () => {
      parts = []
    },
  }
}
