/** The programs that the cluster needs, where they are installed, and the user who runs them. */
import { execFileSync } from 'node:child_process'
import { globSync } from 'node:fs'
import { dirname } from 'node:path'
import { findProgram } from '../../support/find-program.ts'

/** Debian's package of each program. */
const packages = {
  etcd: 'etcd-server',
  patroni: 'patroni',
  haproxy: 'haproxy',
  pgbouncer: 'pgbouncer',
} as const

export type Program = keyof typeof packages
export type Programs = Readonly<Record<Program | 'postgres', string>>

const names = Object.keys(packages) as Program[]

/** Their paths, with the folder of PostgreSQL's; a sentence where some are missing. */
export const findPrograms = (): Programs | string => {
  const found = new Map(names.map((name) => [name, findProgram(name)]))
  // Standbys are copied by pg_basebackup, and a former primary is rewound by pg_rewind.
  const rewind = globSync('/usr/lib/postgresql/*/bin/pg_rewind').sort().at(-1)
  const missing = [
    ...names.filter((name) => found.get(name) === undefined).map((name) => packages[name]),
    ...(rewind === undefined ? ['postgresql'] : []),
  ]
  if (rewind === undefined || missing.length > 0)
    return `Some programs of the cluster are not installed (Debian: apt-get install ${missing.join(' ')}), so nothing is tested.`
  const path = (name: Program) => found.get(name) ?? ''
  return {
    etcd: path('etcd'),
    patroni: path('patroni'),
    haproxy: path('haproxy'),
    pgbouncer: path('pgbouncer'),
    postgres: dirname(rewind),
  }
}

/** PostgreSQL and PgBouncer do not run as root; Debian's packages have a user. */
export const findUser = (): { readonly uid: number; readonly gid: number } | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (option: string) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}
