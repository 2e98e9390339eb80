/** The page of a record: a file of its own, with its texts. */
import { withTexts } from '../page-with-texts.ts'

type RecordPage = typeof import('../../pages/record.tsx')

let loaded: RecordPage | undefined

export const loadRecordPage = async (): Promise<void> => {
  loaded ??= await withTexts(import('../../pages/record.tsx'))
}

/** Undefined until it is loaded. */
export const recordPage = (): RecordPage | undefined => loaded
