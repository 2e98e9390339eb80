/** Reads the curl lines of the documents, so that each is sent as a person would who pastes it. */

export type CurlLine = {
  readonly url: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** The commands of a shell block; a quoted part may run over several lines. */
export const parseCurlLines = (
  script: string,
  variables: Readonly<Record<string, string>>,
): CurlLine[] =>
  splitCommands(script)
    .map((command) => words(command, variables))
    .filter(([name]) => name === 'curl')
    .map(([, ...rest]) => readCurl(rest))

const readCurl = (args: readonly string[]): CurlLine => {
  const headers: Record<string, string> = {}
  let url = ''
  let method: string | undefined
  let body: string | undefined
  for (let index = 0; index < args.length; index++) {
    const word = args[index] ?? ''
    const value = () => args[++index] ?? ''
    if (word === '-X') method = value()
    else if (word === '-d') body = value()
    else if (word === '-o') value()
    else if (word === '-H') {
      const [name = '', ...content] = value().split(':')
      headers[name] = content.join(':').trim()
    } else if (!word.startsWith('-')) url = word
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

/** Words as a shell sees them; `$NAME` stands for a variable but inside single quotes. */
const words = (command: string, variables: Readonly<Record<string, string>>): string[] =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|([^\s'"]+)/g)].map(([, single, double, bare]) =>
    single === undefined ? expand(double ?? bare ?? '', variables) : single,
  )

const expand = (text: string, variables: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$([A-Z]+)/g, (whole, name: string) => variables[name] ?? whole)
