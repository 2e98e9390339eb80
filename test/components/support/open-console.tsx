/** The console of a project in the page of the tests, with answers of a service that is not there. */
import { type QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { expect } from 'vitest'
import { commands, type Locator, page, userEvent } from 'vitest/browser'
import { cleanup, render } from 'vitest-browser-react'
import { forgetDrafts } from '../../../console/api/own/drafts.ts'
import { settingsQuery } from '../../../console/api/own/session.ts'
import { createQueryClient, entitiesQuery, meQuery } from '../../../console/api/queries.ts'
import type { Me, ServiceConfig } from '../../../console/api/types.ts'
import { createConsoleRouter } from '../../../console/app/router.tsx'
import { readPreferences } from '../../../console/features/session/preferences.ts'
import { SessionContext } from '../../../console/features/session/session.ts'
import { SignInDialog, SignInPage } from '../../../console/features/session/sign-in.tsx'
import {
  type Language,
  languages,
  loadLaterTexts,
  type Texts,
  TextsContext,
} from '../../../console/texts/texts.ts'
import '../../../console/styles/base.css'
import type { ProjectFiles } from '../../support/service.ts'
import { type Answers, createService, type Records, type Service } from './answers.ts'
import type { ProjectDescription, Seen } from './describe-project.ts'
import { TestUpload } from './test-upload.ts'

declare module 'vitest/browser' {
  interface BrowserCommands {
    describeProject: (files: ProjectFiles, seen: Seen) => Promise<ProjectDescription>
    /** Pictures of files of records are there from now on, but one. */
    servePictures: (damagedId: number) => Promise<void>
    /** To the corner of the page, where nothing can be pointed at. */
    takeMouseAway: () => Promise<void>
  }
}

type Options = {
  readonly project: ProjectFiles
  /** Key of the user's role; by default the administrator's. */
  readonly role?: string
  /** Answers of lists and pages of records. */
  readonly records?: Records
  /** Further answers by method and path, or others than the usual ones. */
  readonly answers?: Answers
  /** Of the browser, such as `de-DE`, and of the page, unless the settings have another language. */
  readonly locale?: string
  /** What the user has stored. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** How users sign in; by default as during development. */
  readonly signIn?: ServiceConfig['signIn']
  /** And by which ways; by default by none. */
  readonly ways?: readonly ServiceConfig['ways'][number][]
  /** Whether invitations can be sent by e-mail; by default not. */
  readonly sendsEmail?: boolean
  readonly viewport?: { readonly width: number; readonly height: number }
}

// Each is described once, whichever tests ask for it.
const described = new Map<string, Promise<ProjectDescription>>()

const describe = (files: ProjectFiles, seen: Seen): Promise<ProjectDescription> => {
  const key = JSON.stringify([files, seen])
  const known = described.get(key) ?? commands.describeProject(files, seen)
  described.set(key, known)
  return known
}

/** What a page asks for after its end stays without an answer: it must not reach the service of the next one, or Vite. */
const neverAnswered = () => new Promise<never>(() => undefined)
const realSource = globalThis.EventSource
const realRequest = globalThis.XMLHttpRequest
const ownAddress = location.href
let opened: Service | undefined

/** The stream of a service, which says what a test lets it say. */
class TestSource extends EventTarget {
  static readonly CLOSED = 2
  static latest: TestSource | undefined
  readonly watched: readonly string[]
  readyState = 1
  constructor(address: string) {
    super()
    const names = new URL(address, location.href).searchParams.get('watch') ?? ''
    this.watched = names.split(',').map((name) => name.split(':')[0] ?? '')
    TestSource.latest = this
  }
  close(): void {
    this.readyState = TestSource.CLOSED
  }
}

/** The stream says something, once it watches what is named, such as `order` or `order/1`. */
export const say = async (watched: string, kind: string, data: object): Promise<void> => {
  await expect.poll(() => TestSource.latest?.watched).toContain(watched)
  TestSource.latest?.dispatchEvent(new MessageEvent(kind, { data: JSON.stringify(data) }))
}

export type Opening = Partial<Options>

/** The service and the page of the browser at an address of the console; what is there is rendered next. */
const prepare = async (path: string, options: Options) => {
  const { project, role, records = {}, answers = {}, locale = 'en-GB', settings = {} } = options
  const language = (settings.language ?? locale.split('-')[0]) as Language
  // What the test before pointed at would be loaded ahead, where this page has a link at the same place.
  await commands.takeMouseAway()
  await page.viewport(options.viewport?.width ?? 1280, options.viewport?.height ?? 800)
  Object.defineProperty(navigator, 'languages', { get: () => [locale], configurable: true })
  document.documentElement.lang = language
  const description = await describe(project, { ...(role && { role }), language })
  const service = createService(description, records, {
    'GET /console/-/settings.json': { body: settings },
    ...answers,
  })
  opened = service
  globalThis.fetch = service.fetch
  globalThis.EventSource = TestSource as unknown as typeof EventSource
  globalThis.XMLHttpRequest = TestUpload as unknown as typeof XMLHttpRequest
  history.replaceState(null, '', `/console${path}`)
  const { name, timeZone, firstDayOfWeek } = description
  const config = {
    name,
    locale: description.locale,
    timeZone,
    firstDayOfWeek,
    version: '',
    command: 'npx docket',
    signIn: options.signIn ?? 'development',
    ways: [...(options.ways ?? [])],
    sendsEmail: options.sendsEmail ?? false,
  } as const
  const texts = await languages[language].load()
  return { service, config, texts, client: createQueryClient() }
}

const show = async (texts: Texts, client: QueryClient, content: ReactNode): Promise<void> => {
  const { container } = await render(
    <QueryClientProvider client={client}>
      <TextsContext value={texts}>{content}</TextsContext>
    </QueryClientProvider>,
  )
  await expect.poll(() => container.childElementCount, { interval: 5 }).toBeGreaterThan(0)
}

/** Opens an address of the console, such as `/order?w={}`. The administrator of the project is signed in. */
export const openConsole = async (path: string, options: Options): Promise<Service> => {
  const { service, config, texts, client } = await prepare(path, options)
  const entities = await client.fetchQuery(entitiesQuery)
  const me: Me = await client.fetchQuery(meQuery)
  const preferences = readPreferences(await client.fetchQuery(settingsQuery))
  await show(
    texts,
    client,
    <SessionContext value={{ config, me, entities, preferences }}>
      <RouterProvider router={createConsoleRouter(client)} />
    </SessionContext>,
  )
  return service
}

/** Opens an address of the console where nobody is signed in. */
export const openSignIn = async (path: string, options: Options): Promise<Service> => {
  const { service, config, texts, client } = await prepare(path, options)
  await loadLaterTexts()
  await show(texts, client, <SignInPage config={config} />)
  return service
}

/** Opens the dialog over the page of a user whose session has ended. */
export const openSignInDialog = async (path: string, options: Options): Promise<Service> => {
  const { service, config, texts, client } = await prepare(path, options)
  const me: Me = await client.fetchQuery(meQuery)
  await loadLaterTexts()
  await show(texts, client, <SignInDialog config={config} before={me} />)
  return service
}

/** The value of a parameter of the address, which is JSON; null without one. */
export const addressed = (name: string): unknown =>
  JSON.parse(new URL(location.href).searchParams.get(name) ?? 'null')

/** Presses a key in an element, which gets the focus before, such as `{Enter}` or `{Control>}a{/Control}`. */
export const press = async (locator: Locator, keys: string): Promise<void> => {
  await expect.element(locator).toBeInTheDocument()
  ;(locator.element() as HTMLElement).focus()
  await userEvent.keyboard(keys)
}

/** Takes the page away with everything that it stored. Throws what it asked for in vain. */
export const closeConsole = async (): Promise<void> => {
  await cleanup()
  await forgetDrafts(1)
  globalThis.fetch = neverAnswered
  globalThis.EventSource = realSource
  globalThis.XMLHttpRequest = realRequest
  history.replaceState(null, '', ownAddress)
  localStorage.clear()
  sessionStorage.clear()
  const faults = opened?.faults ?? []
  opened = undefined
  TestSource.latest = undefined
  if (faults.length > 0) throw new Error(faults.join('\n'))
}
