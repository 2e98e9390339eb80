/** Two browsers that edit the same rows of a list: nothing is overwritten unseen, and nothing typed is lost. */
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'
import { openPage } from '../browser.ts'
import { createRandom } from '../fuzz/random.ts'
import type { TestService } from '../service.ts'
import { until } from '../wait.ts'

const rows = 4
const columns = ['number', 'total', 'quantity', 'notes'] as const
const labels = { total: 'Total', quantity: 'Quantity', notes: 'Notes' } as const
type Column = keyof typeof labels
const edited: readonly Column[] = ['total', 'quantity', 'notes']

/** A value that no other change has. */
const newValue = (column: Column, n: number): string =>
  ({ total: `${n}.25`, quantity: `${n}`, notes: `Change ${n}` })[column]

let service: TestService
/** The ids of the rows. */
let ids: number[] = []

const start = async (given: TestService): Promise<void> => {
  service = given
  const values = { customer_id: 1, total: '0.25', quantity: 0, notes: 'Change 0' }
  ids = []
  for (let row = 1; row <= rows; row++) {
    const body = { number: `O-${row}`, ...values }
    ids.push((await service.ask('POST', '/order', { body })).json().id)
  }
}

const openList = async (): Promise<Page> => {
  const search = new URLSearchParams({
    w: '{"number":{"$startsWith":"O-"}}',
    s: '["number"]',
    c: JSON.stringify(columns),
  })
  const { page } = await openPage(service, `/console/order?${search}`)
  await page.getByRole('gridcell', { name: 'O-1', exact: true }).waitFor()
  return page
}

type Edit = {
  readonly page: Page
  readonly row: number
  readonly column: Column
  readonly value: string
  /** What the user saw before it was saved: in the cell, or as the value of another user. */
  seen: string
}

const cellOf = ({ page, row, column }: Edit) =>
  page
    .getByRole('row')
    .nth(row)
    .getByRole('gridcell')
    .nth(columns.indexOf(column) + 1)

/** Opens the cell and types; another browser may save before this one does. */
const type = async (edit: Edit) => {
  await cellOf(edit).dblclick()
  const input = edit.page.getByLabel(`${labels[edit.column]} of O-${edit.row}`)
  edit.seen = await input.inputValue()
  await input.fill(edit.value)
}

type Change = Readonly<Record<string, { readonly before?: unknown; readonly after: unknown }>>

const historyOf = async (row: number): Promise<readonly Change[]> =>
  (await service.ask('GET', `/order/${ids[row - 1]}/history?limit=1000`))
    .json()
    .data.map(({ changes }: { readonly changes: Change }) => changes)

const entriesOf = async ({ row, column, value }: Edit) =>
  (await historyOf(row)).flatMap((changes) =>
    String(changes[column]?.after) === value ? [changes[column]] : [],
  )

const isConflict = ({ page }: Edit) => page.getByRole('button', { name: 'Save mine' }).isVisible()

/** What became of a change: saved, or shown next to that of another user. */
const settled = (edit: Edit) =>
  until(`${edit.column} of O-${edit.row} is saved or shown to be changed`, async () => {
    if (await isConflict(edit)) return 'conflict'
    return (await entriesOf(edit)).length > 0 && 'saved'
  })

/** Decides a conflict; whether the own value was saved. */
const decide = async (edit: Edit, isMine: boolean): Promise<boolean> => {
  const [theirs, mine] = await edit.page.getByRole('definition').allTextContents()
  assert.equal(mine, edit.value)
  edit.seen = theirs ?? ''
  const button = edit.page.getByRole('button', { name: isMine ? 'Save mine' : 'Keep theirs' })
  await button.click()
  await button.waitFor({ state: 'detached' })
  return isMine && ((await settled(edit)) === 'saved' || decide(edit, isMine))
}

/**
 * Lets two browsers change a cell each, so many times at once: none overwrites another one unseen, and none is lost. The
 * service has the customer 1, and no order whose number begins like theirs.
 */
export const changeInTwoBrowsers = async (started: TestService, rounds: number): Promise<void> => {
  await start(started)
  const { below, pick, chance } = createRandom(20261122)
  const pages = [await openList(), await openList()]
  const saved: Edit[] = []
  let given = 0
  let conflicts = 0
  for (let round = 1; round <= rounds; round++) {
    const row = 1 + below(rows)
    const column = pick(edited)
    const edits = pages.map((page, at): Edit => {
      const own = at === 0 || chance(0.5) ? column : pick(edited)
      return { page, row, column: own, value: newValue(own, round * 2 + at), seen: '' }
    })
    await Promise.all(edits.map(type))
    await Promise.all(edits.map(({ page }) => page.keyboard.press('Enter')))
    for (const edit of edits) {
      let isSaved = true
      if ((await settled(edit)) === 'conflict') {
        conflicts += 1
        isSaved = await decide(edit, chance(0.5))
      }
      if (isSaved) saved.push(edit)
      else given += 1
    }
  }
  assert.equal(saved.length + given, rounds * 2)
  assert.ok(conflicts > rounds / 4, `There were only ${conflicts} conflicts.`)
  for (const edit of saved) {
    const befores = (await entriesOf(edit)).map((entry) => String(entry?.before))
    assert.deepEqual(befores, [edit.seen], `${edit.column} of O-${edit.row}: ${edit.value}`)
  }
}
