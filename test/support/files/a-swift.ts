/**
 * A bucket of OpenStack Swift, whose API of S3 checks signatures, where Debian's packages of it are installed: its four servers on
 * free ports, with their data in a temporary folder.
 */
import { execFile, spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import type { FilesBucket } from '../../../src/config/files-place.ts'
import { endedAfterwards } from '../docket.ts'
import { findProgram } from '../find-program.ts'
import { freePorts } from '../free-ports.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { until } from '../wait.ts'

const servers = ['account', 'container', 'object', 'proxy'] as const
type ServerName = (typeof servers)[number]

const credentials = { accessKeyId: 'shop:docket', secretAccessKey: 'a/secret+of+the+test=' }

/** Why it cannot be started here; undefined if it can. */
export const lackOfSwift = (): string | undefined => {
  const missing = servers.filter((name) => findProgram(`swift-${name}-server`) === undefined)
  return missing.length === 0
    ? undefined
    : `OpenStack Swift is not installed (Debian: apt-get install ${missing.map((name) => `swift-${name}`).join(' ')}).`
}

/** Starts it, and creates the bucket. It lists two objects at a time, so that few are several pages. */
export const startSwift = async (): Promise<FilesBucket> => {
  const lack = lackOfSwift()
  if (lack !== undefined) throw new Error(lack)
  const folder = temporaryFolder()
  await mkdir(join(folder, 'devices', 'disk'), { recursive: true })
  const ports = await freePorts(servers.length)
  const named = servers.map((name, at) => ({ name, port: ports[at] ?? 0, folder }))
  await Promise.all(named.filter(({ name }) => name !== 'proxy').map(buildRing))
  await Promise.all(named.map(startServer))
  const proxy = named.find(({ name }) => name === 'proxy')
  const endpoint = `http://127.0.0.1:${proxy?.port}`
  const region = 'us-east-1'
  const client = new S3Client({ region, endpoint, credentials, forcePathStyle: true })
  await client.send(new CreateBucketCommand({ Bucket: 'shop' }))
  client.destroy()
  return { bucket: 'shop', prefix: 'files/', region, endpoint, credentials }
}

type Server = { readonly name: ServerName; readonly port: number; readonly folder: string }

const run = promisify(execFile)

/** Where the data of a server are: all in one place. */
const buildRing = async ({ name, port, folder }: Server): Promise<void> => {
  const builder = (...args: readonly string[]) =>
    run(findProgram('swift-ring-builder') ?? '', [join(folder, `${name}.builder`), ...args])
  await builder('create', '1', '1', '0')
  await builder('add', `r1z1-127.0.0.1:${port}/disk`, '1')
  await builder('rebalance')
}

const startServer = async (server: Server): Promise<void> => {
  const { name, port, folder } = server
  const file = join(folder, `${name}.conf`)
  await writeFile(file, settingsOf(server), { mode: 0o600 })
  const child = endedAfterwards(
    spawn(findProgram(`swift-${name}-server`) ?? '', [file, '--verbose'], {
      env: { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let log = ''
  for (const output of [child.stdout, child.stderr])
    output?.setEncoding('utf8').on('data', (text) => {
      log = `${log}${text}`.slice(-4_000)
    })
  await until(`the ${name} server of Swift answers`, async () => {
    if (child.exitCode !== null) throw new Error(`The ${name} server of Swift ended: ${log}`)
    const answer = await fetch(`http://127.0.0.1:${port}/healthcheck`).catch(() => undefined)
    return answer?.ok
  })
}

/** A server waits for another one as long as a busy machine takes, so that what is stored is listed at once. */
const settingsOf = ({ name, port, folder }: Server): string => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
log_level = WARNING
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
fallocate_reserve = 0
conn_timeout = 60
node_timeout = 60
container_update_timeout = 60
account_autocreate = true
[pipeline:main]
pipeline = healthcheck ${name === 'proxy' ? 'cache s3api tempauth bulk slo ' : ''}${name}-server
[app:${name}-server]
use = egg:swift#${name}
[filter:healthcheck]
use = egg:swift#healthcheck
${name === 'proxy' ? proxyFilters : ''}`

// Users who sign their requests need no tokens, which are all that would have to be cached: nothing listens there.
const proxyFilters = `[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:1
[filter:s3api]
use = egg:swift#s3api
max_bucket_listing = 2
[filter:tempauth]
use = egg:swift#tempauth
user_${credentials.accessKeyId.replace(':', '_')} = ${credentials.secretAccessKey} .admin
[filter:bulk]
use = egg:swift#bulk
[filter:slo]
use = egg:swift#slo
`
