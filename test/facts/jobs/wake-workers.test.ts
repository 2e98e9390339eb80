/** When workers look for jobs: one of them at intervals, all when it finds one, as many as are signalled. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { mock, test } from 'node:test'
import { wakeWorkers } from '../../../src/jobs/wake-workers.ts'
import { workerChannel } from '../../../src/jobs/worker-channel.ts'

type Waking = Parameters<typeof wakeWorkers>[0]
type Channels = Parameters<Waking['listener']['subscribe']>[0]['channels']

const start = () => {
  mock.timers.enable({ apis: ['setInterval'] })
  const events: Waking['events'] = new EventEmitter()
  const nudges: number[] = []
  let channels: Channels = {}
  const subscribe: Waking['listener']['subscribe'] = (subscription) => {
    channels = subscription.channels
    return () => {
      channels = {}
    }
  }
  const end = wakeWorkers({
    events,
    atOnce: 8,
    listener: { subscribe },
    workers: { nudge: (count) => void nudges.push(count) },
  })
  return {
    events,
    end,
    nudged: () => nudges.splice(0),
    second: () => mock.timers.tick(1000),
    signal: (payload: string) => channels[workerChannel.name]?.(payload),
  }
}

test('each second one worker looks; if it finds a job all look, and if it finds none nobody', (t) => {
  t.after(() => mock.timers.reset())
  const { events, nudged, second, end } = start()
  second()
  assert.deepEqual(nudged(), [1])
  events.emit('job:start', Object())
  assert.deepEqual(nudged(), [8])
  events.emit('job:start', Object())
  assert.deepEqual(nudged(), [])
  second()
  events.emit('worker:getJob:empty', Object())
  events.emit('job:start', Object())
  assert.deepEqual(nudged(), [1])
  end()
  second()
  assert.deepEqual(nudged(), [])
})

test('as many workers look as jobs are signalled, and none after the end', (t) => {
  t.after(() => mock.timers.reset())
  const { nudged, signal, end } = start()
  signal('{"count":3}')
  assert.deepEqual(nudged(), [3])
  end()
  signal('{"count":3}')
  assert.deepEqual(nudged(), [])
})
