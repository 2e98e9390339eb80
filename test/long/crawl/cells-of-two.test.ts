/** Two browsers that edit the same rows of a list: nothing is overwritten unseen, and nothing typed is lost. */
import { test } from 'node:test'
import { changeInTwoBrowsers } from '../../support/console/cells-of-two.ts'

test('of 200 random changes in two browsers none overwrites another one unseen, and none is lost', () =>
  changeInTwoBrowsers(100))
