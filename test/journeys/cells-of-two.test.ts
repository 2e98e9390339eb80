/** Two browsers that edit the same rows of a list. (Many changes: `long/crawl/cells-of-two`.) */
import { test } from 'node:test'
import { changeInTwoBrowsers } from '../support/console/cells-of-two.ts'

test('of 20 changes in two browsers none overwrites another one unseen, and none is lost', () =>
  changeInTwoBrowsers(10))
