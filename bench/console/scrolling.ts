/** A list of all records: work of the page per frame while it scrolls, jumps, and what it keeps in memory. */
import type { CDPSession, Page } from 'playwright-core'
import { until } from '../../test/support/wait.ts'
import { spreadOf } from '../figures.ts'
import { aimOf, type Row } from '../report.ts'
import { filledRow, openContext, openPage, type Visitor } from './browser.ts'

const frameMs = 1000 / 60
const scrolledFrames = 600
const jumps = 30
const columns = [
  ...['number', 'title', 'status', 'quantity', 'net', 'tax', 'issued_on', 'sent_at'],
  ...['customer.name', 'customer.country.name', 'customer.country.code', 'customer.id'],
]

type TraceEvent = {
  readonly name: string
  readonly tid: number
  readonly pid: number
  /** Microseconds. */
  readonly ts: number
  /** Microseconds of the processor. */
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/** The events of the browser while something is done. */
const trace = async (session: CDPSession, act: () => Promise<void>): Promise<TraceEvent[]> => {
  const events: TraceEvent[] = []
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]))
  })
  const categories = 'toplevel,disabled-by-default-devtools.timeline,__metadata'
  await session.send('Tracing.start', { categories, transferMode: 'ReportEvents' })
  await act()
  const complete = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve))
  await session.send('Tracing.end')
  await complete
  return events
}

/** Milliseconds that the main thread of the page had the processor in each frame. */
const workPerFrame = (events: readonly TraceEvent[]): number[] => {
  const main = events.find(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const tasks = events.filter(
    ({ name, tid, pid, tdur }) =>
      name === 'RunTask' && tid === main?.tid && pid === main.pid && tdur !== undefined,
  )
  const begun = Math.min(...tasks.map(({ ts }) => ts))
  const frames = new Map<number, number>()
  for (const { ts, tdur = 0 } of tasks) {
    const frame = Math.floor((ts - begun) / 1000 / frameMs)
    frames.set(frame, (frames.get(frame) ?? 0) + tdur / 1000)
  }
  return [...frames.values()]
}

/** Scrolls as a wheel does: a step in every frame. */
const scroll = (page: Page, frames: number, step: number): Promise<void> =>
  page.evaluate(
    `new Promise((resolve) => {
      const grid = document.querySelector('[role=grid]')
      let left = ${frames}
      const next = () => {
        grid.scrollTop += ${step}
        left -= 1
        if (left > 0) requestAnimationFrame(next)
        else resolve()
      }
      requestAnimationFrame(next)
    })`,
  )

/** Milliseconds until the rows of a random place of the list are shown. */
const jump = async (page: Page): Promise<number> => {
  const place = Math.random()
  const begun = performance.now()
  const index = await page.evaluate<number>(`(() => {
    const grid = document.querySelector('[role=grid]')
    grid.scrollTop = ${place} * (grid.scrollHeight - grid.clientHeight)
    return Math.round(${place} * Number(grid.getAttribute('aria-rowcount')))
  })()`)
  const isShown = `[...document.querySelectorAll('[role=row]:not([aria-busy])')]
    .some((row) => Math.abs(Number(row.getAttribute('aria-rowindex')) - ${index}) < 100)`
  await until('the rows are shown', () => page.evaluate<boolean>(isShown))
  return performance.now() - begun
}

/** Megabytes of the heap after a collection. */
const heapOf = async (session: CDPSession): Promise<number> => {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize } = await session.send('Runtime.getHeapUsage')
  return usedSize / 2 ** 20
}

export const measureScrolling = async (visitor: Visitor, role: string): Promise<readonly Row[]> => {
  const context = await openContext(visitor)
  const { page, session } = await openPage(context)
  const search = new URLSearchParams({ c: JSON.stringify(columns) })
  await page.goto(`${visitor.service.url}/console/invoice?${search}`)
  await page.locator(filledRow).first().waitFor()
  await scroll(page, 60, 100)
  const events = await trace(session, () => scroll(page, scrolledFrames, 120))
  const work = spreadOf(workPerFrame(events))
  const p95 = workPerFrame(events)
    .toSorted((a, b) => a - b)
    .at(-Math.ceil(scrolledFrames / 20))
  const waits: number[] = []
  for (let count = 0; count < jumps; count += 1) waits.push(await jump(page))
  // Through 100,000 rows.
  await scroll(page, 3000, 1200)
  const heap = await heapOf(session)
  const rows = await page.locator('[role=row]').count()
  await context.close()
  const jumped = spreadOf(waits)
  return [
    { what: `${role}: work per frame, p95 ms`, value: p95, ...aimOf(p95 ?? 0, { most: 8 }) },
    { what: `${role}: work per frame, p99 ms`, value: work.p99, ...aimOf(work.p99, { most: 16 }) },
    { what: `${role}: rows after a jump, p50 ms`, value: jumped.p50 },
    {
      what: `${role}: rows after a jump, max ms`,
      value: jumped.max,
      ...aimOf(jumped.max, { most: 300 }),
    },
    { what: `${role}: heap after 100,000 rows, MiB`, value: heap, ...aimOf(heap, { most: 150 }) },
    { what: `${role}: rows in the page`, value: rows, ...aimOf(rows, { most: 60 }) },
  ]
}
