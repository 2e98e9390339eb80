/** What lists say of saved views, and how lists of work show more rows. */
import { describe, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from 'vitest-browser-react'
import { MoreWork, useLimit } from '../../console/features/work/more-work.tsx'
import { languages, TextsContext } from '../../console/texts/texts.ts'
import { pageOf } from './support/answers.ts'
import { openConsole, press } from './support/open-console.tsx'
import { emptyOrder, ordersProject } from './support/orders.ts'
import { see } from './support/record-form.ts'

describe('the way to all records is called by what they are', () => {
  test.for([
    ['en-GB', 'All Order'],
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
    const menu = page.getByRole('button', { name: 'By size' })
    await press(menu, '{Enter}')
    await see(page.getByRole('menuitem', { name: all, exact: true }))
  })
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
    const more = page.getByRole('button', { name: 'More' })
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
