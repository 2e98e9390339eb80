/** Reads the curl lines of the documentation, so that tests send the same requests. */

export type CurlLine = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** The curl commands of a shell block. A quoted part may span several lines. */
export const parseCurlLines = (
  script: string,
  variables: Readonly<Record<string, string>>,
): CurlLine[] =>
  splitCommands(script)
    .map((command) => splitArgs(command, variables))
    .filter(([name]) => name === 'curl')
    .map(([, ...rest]) => readCurl(rest))

const readCurl = (args: readonly string[]): CurlLine => {
  const headers: Record<string, string> = {}
  let url = ''
  let method: string | undefined
  let body: string | undefined
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? ''
    const value = () => args[++index] ?? ''
    if (arg === '-X') method = value()
    else if (arg === '-d') body = value()
    else if (arg === '-o') value()
    else if (arg === '-H') {
      const [name = '', ...content] = value().split(':')
      headers[name] = content.join(':').trim()
    } else if (!arg.startsWith('-')) url = arg
  }
  return { url, method: method ?? (body === undefined ? 'GET' : 'POST'), headers, body }
}

const splitCommands = (script: string): string[] => {
  const commands: string[] = []
  let current = ''
  let quote = ''
  for (const character of script) {
    if (quote ? character === quote : character === "'" || character === '"')
      quote = quote ? '' : character
    if (character === '\n' && !quote) {
      commands.push(current)
      current = ''
    } else current += character
  }
  return [...commands, current].filter((command) => command.trim() !== '')
}

/** Splits a command into arguments as a shell does. `$NAME` is expanded, except inside single quotes. */
export const splitArgs = (command: string, variables: Readonly<Record<string, string>>): string[] =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(([, single, double, bare]) =>
    single === undefined ? expand(double ?? bare ?? '', variables) : single,
  )

const expand = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$([A-Z]+)/g, (whole, name: string) => variables[name] ?? whole)

/** Sends the requests of lines, without what they pipe their answers to. */
export const sendLines = async (script: string, variables: Readonly<Record<string, string>>) => {
  const answers: { readonly status: number; readonly text: string }[] = []
  const lines = parseCurlLines(script.replaceAll(/&& head.*$/gm, ''), variables)
  for (const { url, method, headers, body } of lines) {
    const response = await fetch(url, { method, headers, ...(body !== undefined && { body }) })
    answers.push({ status: response.status, text: await response.text() })
  }
  return answers
}
