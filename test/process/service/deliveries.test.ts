/** A worker that is killed while it sends e-mails: no e-mail is lost, and only those that it was sending may be repeated. */
import { test } from 'node:test'
import { killWhileSending } from '../../support/processes/killed-mailing.ts'

test('a worker killed when the mail server accepts repeats only the e-mails that it was sending', () =>
  killWhileSending(40, 1))
