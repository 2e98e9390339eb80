/** The console as a user uses it who presses its buttons and changes its fields, and what it sends. */
import { expect } from 'vitest'
import { type Locator, page, userEvent } from 'vitest/browser'
import type { Service } from './answers.ts'

/** Waits until each of them is shown. */
export const see = async (...locators: readonly Locator[]): Promise<void> => {
  for (const locator of locators) await expect.element(locator).toBeVisible()
}

export const gone = (locator: Locator) => expect.element(locator).not.toBeInTheDocument()

export const input = (label: string): Locator => page.getByLabelText(label, { exact: true })

export const focus = async (locator: Locator): Promise<void> => {
  await see(locator)
  ;(locator.element() as HTMLElement).focus()
}

export const unsaved = (count = 1): Locator =>
  page.getByText(count === 1 ? '1 change is not saved' : `${count} changes are not saved`)

/** What was written to a path, such as `PATCH /order/1`. */
export const sent = (service: Service, what: string): readonly unknown[] =>
  service.asked.filter(({ method, path }) => `${method} ${path}` === what).map(({ body }) => body)

/** The key of each request to a path: the service does once what has the same one. */
export const keysOf = (service: Service, what: string): readonly (string | null)[] =>
  service.asked
    .filter(({ method, path }) => `${method} ${path}` === what)
    .map(({ headers }) => headers.get('Idempotency-Key'))

/** Waits until exactly these bodies were written to a path. */
export const wrote = (service: Service, what: string, ...bodies: readonly unknown[]) =>
  expect.poll(() => sent(service, what)).toEqual(bodies)

/** Saves by key, and waits until nothing is left to be saved. */
export const save = async (count = 1): Promise<void> => {
  await userEvent.keyboard('{Control>}s{/Control}')
  await gone(unsaved(count))
}
