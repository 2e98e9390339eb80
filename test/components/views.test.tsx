/** What lists say of saved views, and how lists of work show more rows. */
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { MoreWork, useLimit } from '../../console/features/work/more-work.tsx'
import { languages, TextsContext } from '../../console/texts/texts.ts'
import { pageOf } from './support/answers.ts'
import { openConsole, press } from './support/open-console.tsx'
import { emptyOrder, ordersProject } from './support/orders.ts'
import { button, dialogOf, item } from './support/parts.ts'
import { see, sent } from './support/record-form.ts'
import { findViolations } from './support/violations.ts'

describe('the way to all records is called by what they are', () => {
  test.for([
    ['en-GB', 'All order'],
    ['de-DE', 'Alle: Order'],
    ['hr-HR', 'Sve: Order'],
  ] as const)('in %s', async ([locale, all]) => {
    await openConsole('/order?view=1', {
      ...{ project: ordersProject, locale, records: { order: [emptyOrder] } },
      answers: {
        'POST /saved_view/search': pageOf([
          { id: 1, name: 'By size', entity_key: 'order', criteria: { $orderBy: ['-total'] } },
        ]),
      },
    })
    const menu = button('By size')
    await press(menu, '{Enter}')
    await see(page.getByRole('menuitem', { name: all, exact: true }))
  })
})

test('a view is renamed by the keyboard, and gets its name back', async () => {
  const view = {
    ...{ id: 1, name: 'By size', entity_key: 'order', is_shared_with: 'all', _created_by: 1 },
    ...{ criteria: { $orderBy: ['-total'] }, columns: null, security_role_id: null },
    ...{ _is_deleted: false, _updated_by: 1 },
    ...{ _created_at: '2026-01-01T00:00:00.000Z', _updated_at: '2026-01-01T00:00:00.000Z' },
  }
  const service = await openConsole('/order?view=1', {
    ...{ project: ordersProject, records: { order: [emptyOrder] } },
    answers: {
      'POST /saved_view/search': () => pageOf([view]),
      'PATCH /saved_view/1': ({ body }) => {
        Object.assign(view, body)
        return { status: 200, body: { ...view } }
      },
    },
  })
  await press(button('By size'), '{Enter}')
  await press(item('Rename the view By size …'), '{Enter}')
  const dialog = dialogOf('Rename the view By size')
  await see(dialog.getByText('Everybody who uses it sees the new name.'))
  await dialog.getByLabelText('Name').fill('Largest')
  await press(dialog.getByLabelText('Name'), '{Enter}')
  await see(button('Largest'), page.getByText('The view was called By size before.'))
  expect(await findViolations()).toEqual([])
  await press(button('Undo'), '{Enter}')
  await see(button('By size'))
  expect(sent(service, 'PATCH /saved_view/1')).toEqual([{ name: 'Largest' }, { name: 'By size' }])
})

const Work = ({ all }: { readonly all: number }) => {
  const limit = useLimit(400)
  const shown = Math.min(limit.limit, all)
  return (
    <>
      <p>{shown} rows</p>
      {limit.hasMore(shown) && <MoreWork limit={limit} />}
    </>
  )
}

test('lists of work show more rows until they have as many as the service gives at once', async () => {
  const texts = await languages.en.load()
  const shownOf = async (all: number) => {
    const { unmount } = await render(
      <TextsContext value={texts}>
        <Work all={all} />
      </TextsContext>,
    )
    const shown: (string | null)[] = []
    const more = button('More')
    for (;;) {
      shown.push(page.getByText(/rows$/).element().textContent)
      if (more.elements().length === 0) break
      await more.click()
    }
    await unmount()
    return shown
  }
  expect(await shownOf(399)).toEqual(['399 rows'])
  expect(await shownOf(1001)).toEqual(['400 rows', '800 rows', '1000 rows'])
})
