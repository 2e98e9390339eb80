/** Parts of a page by their names. */
import { type Locator, page } from 'vitest/browser'

type Name = string | RegExp

export const button = (name: Name): Locator => page.getByRole('button', { name })

export const link = (name: Name): Locator => page.getByRole('link', { name })

export const tab = (name: Name): Locator => page.getByRole('tab', { name })

export const item = (name: Name): Locator => page.getByRole('menuitem', { name })

export const option = (name: Name): Locator => page.getByRole('option', { name })

export const dialogOf = (name: Name): Locator => page.getByRole('dialog', { name })

export const heading = (name: Name): Locator => page.getByRole('heading', { name, level: 1 })

/** Of a list. */
export const cell = (name: Name): Locator => page.getByRole('gridcell', { name, exact: true })
