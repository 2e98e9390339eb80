/** E-mails and their documents: the rate, the memory, PDFs and functions beside what they rest on. */
import { rounded } from '../figures.ts'
import type { Note, Place } from '../place.ts'
import type { Table } from '../report.ts'
import { compareSending } from './compare-sending.ts'
import { type MailPlace, openMailPlace } from './mail-place.ts'
import { measureDocuments } from './measure-documents.ts'
import { measureFunctions } from './measure-functions.ts'
import { measureMailing } from './measure-mailing.ts'

type Step = readonly [name: string, measure: (place: MailPlace) => Promise<readonly Table[]>]

const steps: readonly Step[] = [
  ['sending', async (place) => [await compareSending(place)]],
  ['a mailing', async (place) => [await measureMailing(place)]],
  ['documents', measureDocuments],
  ['functions', async (place) => [await measureFunctions(place)]],
]

/** Every measurement, on one event to so many people. */
export const benchEmail = async (
  place: Place,
  rows: number,
  note: Note,
): Promise<readonly Table[]> => {
  note(`Filling ${rows.toLocaleString('en')} people …\n`)
  const mailPlace = await openMailPlace(place, rows)
  try {
    const tables: Table[] = []
    for (const [name, measure] of steps) {
      const begun = performance.now()
      tables.push(...(await measure(mailPlace)))
      note(`Measured ${name} in ${rounded((performance.now() - begun) / 1000)} s.\n`)
    }
    return tables
  } finally {
    await mailPlace.stop()
  }
}
