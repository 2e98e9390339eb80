/** Findings of checks: lines for people, JSON for machines, and the exit code. */
import { type Finding, type Level, worstOf } from '../../diagnosis/check.ts'
import { exitCodes, type Terminal } from '../command.ts'
import { alignedTable } from './table.ts'

const words: Readonly<Record<Level, string>> = {
  ok: 'ok',
  unknown: '?',
  warn: 'warn',
  fail: 'FAIL',
}

const codes: Readonly<Record<Level, number>> = {
  ok: exitCodes.done,
  unknown: exitCodes.done,
  warn: exitCodes.warned,
  fail: exitCodes.unhealthy,
}

/** Prints them, and returns the code of the worst. */
export const printFindings = (
  findings: readonly Finding[],
  { terminal, asJson }: { readonly terminal: Terminal; readonly asJson: boolean },
): number => {
  const worst = worstOf(findings)
  if (asJson) terminal.out(`${JSON.stringify({ worst, checks: findings }, null, 2)}\n`)
  else {
    terminal.out(`${printTable(findings)}\n`)
    terminal.note(`${summaryOf(findings)}\n`)
  }
  return codes[worst]
}

/** What to do stands below the line that it belongs to. */
const printTable = (findings: readonly Finding[]): string => {
  const lines = alignedTable(
    findings.map(({ level, check, value }) => [words[level], check, value]),
  ).split('\n')
  return lines
    .flatMap((line, index) => {
      const advice = findings[index]?.advice
      return advice === undefined ? [line] : [line, `      ${advice}`]
    })
    .join('\n')
}

const summaryOf = (findings: readonly Finding[]): string => {
  const count = (wanted: Level) => findings.filter(({ level }) => level === wanted).length
  return `${findings.length} checks: ${count('fail')} failed, ${count('warn')} with a warning, ${count('unknown')} not seen.`
}
