/** Replies of a service as tests read them. */
import assert from 'node:assert/strict'
import type { Reply } from './service.ts'

type Head = Pick<Reply, 'status' | 'headers'>

export const replyOf = ({ status, headers }: Head, text: string): Reply => ({
  status,
  headers,
  text,
  json: (expected = status) => {
    assert.equal(status, expected, text)
    return JSON.parse(text)
  },
})
