/** Uploads a file again and again until it is told to stop, in a thread: what is measured meanwhile does not wait for it. */
import { parentPort, workerData } from 'node:worker_threads'
import type { Target } from '../http-client.ts'
import { upload } from './transfers.ts'

export type UploadSettings = {
  readonly service: Target
  readonly path: string
  readonly atOnce: number
}

const { service, path, atOnce } = workerData as UploadSettings
let isOver = false
parentPort?.once('message', () => {
  isOver = true
})
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    while (!isOver) await upload(service, path)
  }),
)
