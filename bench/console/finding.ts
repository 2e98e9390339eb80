/** A record of any entity, found from the search of the console: from the last key to its row. */
import { median, percentile } from '../figures.ts'
import { customerCount } from '../invoices.ts'
import { aimOf, type Row } from '../report.ts'
import { filledRow, openContext, openPage, type Visitor } from './browser.ts'

const samples = 40
// Until the options are those of no words again.
const restMs = 150

type Search = {
  readonly what: string
  /** What is typed, and what the record shows, of the invoice or customer of a number. */
  readonly of: (number: number) => { readonly words: string; readonly shown: string }
  readonly most: number
}

const searchesAmong = (rows: number): readonly Search[] => [
  {
    what: 'by its whole name',
    of: (number) => ({ words: `INV-${number}`, shown: `INV-${number}` }),
    most: rows,
  },
  {
    what: 'by a part of its number',
    of: (number) => ({ words: `nv-${number}`, shown: `INV-${number}` }),
    most: rows,
  },
  {
    what: 'by its name without accents',
    of: (number) => ({ words: `muller & sohne ${number}`, shown: `Müller & Söhne ${number}` }),
    most: customerCount,
  },
]

// By the page itself: a question from outside is asked at intervals of up to 100 ms.
const timeToOption = `globalThis.timeToOption = (text) => new Promise((resolve) => {
  addEventListener('input', ({ timeStamp }) => {
    const isShown = () =>
      [...document.querySelectorAll('[role=option]')].some((one) => one.textContent.includes(text))
    const look = () => {
      if (!isShown()) requestAnimationFrame(look)
      // The frame is painted before the next task.
      else requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)))
    }
    requestAnimationFrame(look)
  }, { capture: true, once: true })
})`

export const measureFinding = async (
  visitor: Visitor,
  role: string,
  invoices: number,
): Promise<readonly Row[]> => {
  const context = await openContext(visitor)
  const { page } = await openPage(context)
  await page.addInitScript(timeToOption)
  await page.goto(`${visitor.service.url}/console/invoice`)
  await page.locator(filledRow).first().waitFor()
  await page.keyboard.press('Control+k')
  const input = page.getByRole('combobox').and(page.locator(':focus'))
  const rows: Row[] = []
  for (const { what, of, most } of searchesAmong(invoices)) {
    const times: number[] = []
    // The first one is not counted: its statements are new to the database.
    for (let at = 0; at <= samples; at += 1) {
      // Every fourth customer is called Müller; no name of a number of four digits is a part of another one.
      const number = 1000 + Math.floor(((most - 1000) * at) / (samples + 1) / 4) * 4
      const { words, shown } = of(number)
      await input.fill('')
      await page.waitForTimeout(restMs)
      const timed = page.evaluate<number>(`timeToOption(${JSON.stringify(shown)})`)
      await input.fill(words)
      const time = await timed
      if (at > 0) times.push(time)
    }
    const p95 = percentile(times, 95)
    rows.push({
      what: `${role}: ${what}`,
      'p50 ms': median(times),
      'p95 ms': p95,
      ...aimOf(p95, { most: 150 }),
    })
  }
  await context.close()
  return rows
}
