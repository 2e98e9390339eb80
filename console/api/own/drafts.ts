/** What was typed and is not saved, kept by the browser (IndexedDB) per user until it is saved or discarded. */
import { parseExact } from '../exact-json.ts'

/** Values by column; of a record that exists also what was on the screen when they were typed. */
export type KeptDraft = {
  readonly values: readonly (readonly [column: string, value: unknown])[]
  readonly before: Readonly<Record<string, unknown>>
  /** Of a record that does not exist yet: attempts with the same key create it once. */
  readonly idempotencyKey?: string
}

const databaseName = 'docket'
const storeName = 'drafts'

const asPromise = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error))
  })

let opened: Promise<IDBDatabase> | undefined

const openDatabase = (): Promise<IDBDatabase> => {
  const request = indexedDB.open(databaseName, 1)
  request.addEventListener('upgradeneeded', () => request.result.createObjectStore(storeName))
  return asPromise(request)
}

/** Runs on the store of drafts; undefined where the browser keeps nothing, as in some private windows. */
const onStore = async <T>(
  mode: IDBTransactionMode,
  run: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T | undefined> => {
  try {
    opened ??= openDatabase()
    const database = await opened
    return await asPromise(run(database.transaction(storeName, mode).objectStore(storeName)))
  } catch {
    opened = undefined
    return undefined
  }
}

const keyOf = (userId: number, name: string): IDBValidKey => [userId, name]

export const readDraft = async (userId: number, name: string): Promise<KeptDraft | undefined> => {
  const text = await onStore<unknown>('readonly', (store) => store.get(keyOf(userId, name)))
  return typeof text === 'string' ? (parseExact(text) as KeptDraft) : undefined
}

/** Keeps a draft as the text of its JSON, which has every digit. */
export const keepDraft = (userId: number, name: string, draft: string) =>
  onStore('readwrite', (store) => store.put(draft, keyOf(userId, name)))

export const forgetDraft = (userId: number, name: string) =>
  onStore('readwrite', (store) => store.delete(keyOf(userId, name)))

const allOf = (userId: number) => IDBKeyRange.bound(keyOf(userId, ''), keyOf(userId, '\uffff'))

/** The names of all drafts of a user. */
export const readDraftNames = async (userId: number): Promise<readonly string[]> => {
  const keys = await onStore('readonly', (store) => store.getAllKeys(allOf(userId)))
  return (keys ?? []).flatMap((key) => (Array.isArray(key) ? [String(key[1])] : []))
}

/** Forgets all drafts of a user: anyone who comes next must not find them. */
export const forgetDrafts = (userId: number) =>
  onStore('readwrite', (store) => store.delete(allOf(userId)))
