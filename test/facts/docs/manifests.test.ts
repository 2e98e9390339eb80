/** The manifests of deploy/ say what the service has: commands, settings, addresses of its health, times to stop. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse, parseAllDocuments } from 'yaml'
import { settings } from '../../../src/config/load-config.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url), 'utf8')

type Container = {
  readonly command: readonly string[]
  readonly env?: readonly { readonly name: string }[]
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[]
  readonly securityContext: Readonly<Record<string, unknown>>
} & Readonly<Record<`${'startup' | 'liveness' | 'readiness'}Probe`, Probe | undefined>>

type Probe = { readonly httpGet: { readonly path: string; readonly port: string } }

type Resource = {
  readonly kind: string
  readonly spec: {
    readonly selector: { readonly matchLabels?: object }
    readonly template?: {
      readonly metadata: { readonly labels: object }
      readonly spec: {
        readonly containers: readonly Container[]
        readonly securityContext: { readonly runAsNonRoot: boolean }
        readonly terminationGracePeriodSeconds: number
      }
    }
  }
}

const grace = Number(settings.SHUTDOWN_GRACE_SECONDS.fallback)
const healthPaths = ['/api/health/live', '/api/health/ready']
const commands = ['start', 'worker']

const checkCommand = ([program = '', command = '', ...options]: readonly string[]) => {
  assert.equal(program, 'node_modules/.bin/docket')
  assert.ok(commands.includes(command), command)
  assert.deepEqual(options.slice(-2), ['--project', '/srv/shop'])
}

test('Kubernetes: processes without privileges, with probes, and with time to stop', async () => {
  const documents = parseAllDocuments(await read('deploy/kubernetes/docket.yaml'))
  assert.deepEqual(
    documents.flatMap(({ errors }) => errors),
    [],
  )
  const resources = documents.map((document) => document.toJS() as Resource)
  const pods = resources.flatMap(({ spec }) => spec.template ?? [])
  assert.equal(pods.length, 2)
  for (const { metadata, spec } of pods) {
    const owner = resources.find((resource) => resource.spec.template?.spec === spec)
    assert.deepEqual(owner?.spec.selector.matchLabels, metadata.labels)
    assert.equal(spec.securityContext.runAsNonRoot, true)
    for (const container of spec.containers) {
      checkCommand(container.command)
      assert.equal(container.securityContext.readOnlyRootFilesystem, true)
      const drain = Number(
        Object.assign(
          { value: 0 },
          container.env?.find(({ name }) => name === 'DRAIN_SECONDS'),
        ).value,
      )
      assert.ok(spec.terminationGracePeriodSeconds > grace + drain)
      for (const { name } of container.env ?? []) assert.ok(name in settings, name)
      for (const probe of ['startupProbe', 'livenessProbe', 'readinessProbe'] as const) {
        const path = container[probe]?.httpGet.path
        // A worker listens nowhere.
        assert.equal(path !== undefined, container.command[1] === 'start', probe)
        if (path !== undefined) assert.ok(healthPaths.includes(path), path)
      }
    }
  }
})

test('Compose: every service starts what there is, and no secret is in the file', async () => {
  const text = await read('deploy/container/compose.yaml')
  const { services, secrets } = parse(text, { merge: true }) as {
    services: Record<string, { command?: string[]; environment?: object; secrets?: unknown[] }>
    secrets: Record<string, { file: string }>
  }
  assert.deepEqual(Object.keys(services), ['service', 'worker', 'pgbouncer', 'postgres'])
  for (const name of ['service', 'worker']) {
    checkCommand(services[name]?.command ?? [])
    for (const setting of Object.keys(services[name]?.environment ?? {}))
      assert.ok(setting in settings, setting)
  }
  for (const { file } of Object.values(secrets)) assert.match(file, /^secrets\//)
  assert.doesNotMatch(text, /PASSWORD: |postgres:\/\//)
})

test('the image has a normal user and none of the files of the machine that builds it', async () => {
  const dockerfile = await read('deploy/container/Dockerfile')
  assert.match(dockerfile, /^USER node$/m)
  assert.doesNotMatch(dockerfile, /^(ARG|ENV) .*(PASSWORD|SECRET|TOKEN|URL)/m)
  const ignored = (await read('deploy/container/Dockerfile.dockerignore'))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
  assert.equal(ignored[0], '*')
  const command = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]'
  checkCommand(JSON.parse(command))
})

test('systemd: the units are correct, and the first is that of the docs', async () => {
  const unit = await read('deploy/systemd/docket.service')
  assert.ok((await read('docs/deploy.md')).includes(`\`\`\`ini\n${unit}\`\`\``))
  const folder = temporaryFolder()
  for (const name of ['docket.service', 'docket-worker.service']) {
    const text = await read(`deploy/systemd/${name}`)
    const command = /^ExecStart=\/srv\/shop\/(.*)$/m.exec(text)?.[1] ?? ''
    checkCommand(command.split(' '))
    assert.ok(Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1]) > grace)
    // The program is elsewhere; nothing else may be found.
    const file = join(folder, name)
    await writeFile(file, text.replace(/^ExecStart=.*$/m, 'ExecStart=/bin/true'))
    const verified = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' })
    // Where systemd is not installed, the facts above are all that is checked.
    if (!verified.error) assert.equal(verified.stderr.includes(name), false, verified.stderr)
  }
})
