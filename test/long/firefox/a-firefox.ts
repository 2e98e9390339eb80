/**
 * Firefox as it is installed, driven over WebDriver BiDi, which it speaks itself. (The commands that Playwright needs are
 * newer than those of Firefox ESR.)
 */
import { spawn, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterwards } from '../../support/afterwards.ts'
import { endedAfterwards, waitFor } from '../../support/docket.ts'
import { temporaryFolder } from '../../support/temporary-folder.ts'
import { until, within } from '../../support/wait.ts'

const names = process.env.FIREFOX ? [process.env.FIREFOX] : ['firefox-esr', 'firefox']

/** The first that is installed. */
export const installed = names.find((name) => spawnSync(name, ['--version']).status === 0)

/** Keys that are no letters, as WebDriver names them. */
export const keys = {
  tab: '\uE004',
  enter: '\uE007',
  control: '\uE009',
  end: '\uE010',
  f2: '\uE032',
} as const

type Answer = { readonly id?: number; readonly result?: unknown; readonly message?: string }

/** A connection on which each command has an answer. */
const connect = async (url: string) => {
  const socket = new WebSocket(url)
  const opened = Promise.withResolvers<void>()
  socket.addEventListener('open', () => opened.resolve())
  socket.addEventListener('error', () => opened.reject(new Error(`${url} does not answer`)))
  await within('Firefox takes the connection', opened.promise, 30)
  const waiting = new Map<number, (answer: Answer) => void>()
  socket.addEventListener('message', ({ data }) => {
    const answer: Answer = JSON.parse(String(data))
    if (answer.id !== undefined) waiting.get(answer.id)?.(answer)
  })
  afterwards(async () => socket.close())
  let last = 0
  /** The answer is what the standard says of the command. */
  return async <T>(method: string, params: object): Promise<T> => {
    last += 1
    const answered = Promise.withResolvers<Answer>()
    waiting.set(last, answered.resolve)
    socket.send(JSON.stringify({ id: last, method, params }))
    const { result, message } = await within(`Firefox answers ${method}`, answered.promise, 60)
    if (message !== undefined) throw new Error(`${method}: ${message}`)
    return result as T
  }
}

/** What users choose in the settings of Firefox, by the names of `about:config`. */
type Preferences = Readonly<Record<string, boolean>>

const start = async (executable: string, preferences: Preferences): Promise<string> => {
  const profile = temporaryFolder()
  const lines = Object.entries(preferences).map(([name, on]) => `user_pref("${name}", ${on});`)
  await writeFile(join(profile, 'user.js'), lines.join('\n'))
  const args = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
  const child = endedAfterwards(spawn(executable, args, { stdio: ['ignore', 'pipe', 'pipe'] }))
  const said = /WebDriver BiDi listening on (\S+)/
  return `${said.exec(await waitFor(child, said))?.[1]}/session`
}

type Node = { readonly sharedId: string }

type Frame = { readonly context: string; readonly url: string }
type Tree = { readonly contexts: readonly (Frame & { readonly children: readonly Frame[] })[] }

/** A tab of a Firefox that ends with its test. */
export const openFirefox = async (executable: string, preferences: Preferences = {}) => {
  const send = await connect(await start(executable, preferences))
  await send('session.new', { capabilities: {} })
  const readTree = async () => (await send<Tree>('browsingContext.getTree', {})).contexts[0]
  const context = (await readTree())?.context
  await send('browsingContext.setViewport', { context, viewport: { width: 1280, height: 800 } })
  const act = (type: 'key' | 'pointer', actions: readonly object[]) =>
    send('input.performActions', { context, actions: [{ type, id: type, actions }] })
  type Found = { readonly nodes: readonly Node[] }
  const locate = async (role: string, name: string): Promise<Node | undefined> => {
    const locator = { type: 'accessibility', value: { role, name } }
    return (await send<Found>('browsingContext.locateNodes', { context, locator })).nodes[0]
  }
  /** Waits until an element with this role and name is there. */
  const see = (role: string, name: string): Promise<Node> =>
    until(`there is a ${role} "${name}"`, () => locate(role, name), 30)
  const evaluate = async <T>(expression: string, place = context): Promise<T> => {
    type Evaluated = {
      readonly result?: { readonly value?: string }
      readonly exceptionDetails?: { readonly text: string }
    }
    const { result, exceptionDetails } = await send<Evaluated>('script.evaluate', {
      expression: `(async () => JSON.stringify(await (${expression})))()`,
      target: { context: place },
      awaitPromise: true,
    })
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.text}`)
    return JSON.parse(result?.value ?? 'null')
  }
  return {
    see,
    evaluate,
    /** The text that an expression finds in a frame; empty if there is no such frame. */
    readFrame: async (path: string, expression: string): Promise<string> => {
      const frame = (await readTree())?.children.find(({ url }) => url.endsWith(path))
      return frame ? evaluate<string>(expression, frame.context) : ''
    },
    open: (url: string) => send('browsingContext.navigate', { context, url, wait: 'complete' }),
    click: async (role: string, name: string): Promise<void> => {
      const { sharedId } = await see(role, name)
      const origin = { type: 'element', element: { sharedId } }
      const button = { button: 0 }
      await act('pointer', [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', ...button },
        { type: 'pointerUp', ...button },
      ])
    },
    /** Presses keys after each other. */
    type: (text: string) =>
      act(
        'key',
        [...text].flatMap((value) => [
          { type: 'keyDown', value },
          { type: 'keyUp', value },
        ]),
      ),
    /** Presses a key while Ctrl is held. */
    withControl: (value: string) =>
      act('key', [
        { type: 'keyDown', value: keys.control },
        { type: 'keyDown', value },
        { type: 'keyUp', value },
        { type: 'keyUp', value: keys.control },
      ]),
    resize: (width: number, height: number) =>
      send('browsingContext.setViewport', { context, viewport: { width, height } }),
  }
}
