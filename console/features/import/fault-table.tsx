/** The rows of an import that have faults: the reason at each cell, which is corrected there. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useId, useState } from 'react'
import { urlOf } from '../../api/client.ts'
import {
  type Correction,
  correctRows,
  faultyRowsQuery,
  type ImportFaultyRows,
  type ImportRun,
  runQuery,
} from '../../api/records/imports.ts'
import type { Entity } from '../../api/types.ts'
import { Button } from '../../parts/button.tsx'
import { DataTable } from '../../parts/data-table.tsx'
import { ProblemNote, Waiting } from '../../parts/notes.tsx'
import { ScrolledBody, TitledSection } from '../../parts/sections.tsx'
import { type Fault, useFaultWords } from './fault-words.ts'
import { useImportTexts } from './import-texts.ts'

type FaultyRow = ImportFaultyRows['data'][number]

/** By row and head; each with what the cell had. */
type Corrections = ReadonlyMap<string, Correction & { readonly was: string }>

const keyOf = (row: number, head: string): string => JSON.stringify([row, head])

const firstRows = 50
const mostRows = 200

type Props = { readonly entity: Entity; readonly run: ImportRun }

export const FaultTable = ({ entity, run }: Props): ReactNode => {
  const texts = useImportTexts().faults
  const [limit, setLimit] = useState(firstRows)
  const { data, error, refetch } = useQuery(faultyRowsQuery(run, limit))
  const mending = useMending(run)
  if (!data && error) return <ProblemNote error={error} onRetry={() => void refetch()} />
  if (!data) return <Waiting />
  const isMendable = run.state === 'ready' || run.state === 'done'
  const { size } = mending.corrections
  return (
    <TitledSection title={texts.title(run.faulty)}>
      {isMendable && <p>{run.state === 'done' ? texts.helpLeft : texts.help}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (size > 0) mending.send()
        }}
      >
        <ScrolledBody label={texts.table} className="import-faults">
          <Rows entity={entity} run={run} page={data} mending={isMendable ? mending : undefined} />
        </ScrolledBody>
        {data.data.length < run.faulty && (
          <p>
            {texts.shown(data.data.length, run.faulty)}{' '}
            {data.next !== null && limit < mostRows && (
              <Button onClick={() => setLimit(mostRows)}>{texts.more}</Button>
            )}
          </p>
        )}
        <div className="import-line">
          {isMendable && (
            <Button type="submit" look="primary" disabled={size === 0 || mending.isSending}>
              {size === 0 ? texts.none : texts.again(size)}
            </Button>
          )}
          <a className="button" href={urlOf(`/api/imports/${run.id}/faults`)} download>
            {texts.download}
          </a>
        </div>
        {mending.error && (
          <p role="alert" className="removed-refused">
            {mending.error.message}
          </p>
        )}
      </form>
    </TitledSection>
  )
}

/** What was corrected and not yet sent. */
const useMending = (run: ImportRun) => {
  const client = useQueryClient()
  const [corrections, setCorrections] = useState<Corrections>(new Map())
  const send = useMutation({
    mutationFn: () =>
      correctRows(
        run.id,
        [...corrections.values()].map(({ was: _, ...one }) => one),
      ),
    onSuccess: (next) => {
      setCorrections(new Map())
      client.setQueryData(runQuery(run.id).queryKey, next)
    },
  })
  return {
    corrections,
    /** Undefined: the cell has what it had. */
    correct: (row: number, column: string, next: Change | undefined) =>
      setCorrections((now) => {
        const all = new Map(now)
        if (next) all.set(keyOf(row, column), { row, column, ...next })
        else all.delete(keyOf(row, column))
        return all
      }),
    send: () => send.mutate(),
    isSending: send.isPending,
    error: send.error,
  }
}

type Change = { readonly text: string; readonly alike: boolean; readonly was: string }

type Mending = ReturnType<typeof useMending>

type RowsProps = Props & {
  readonly page: ImportFaultyRows
  /** Undefined: they cannot be corrected any more. */
  readonly mending: Mending | undefined
}

const Rows = ({ entity, run, page, mending }: RowsProps): ReactNode => {
  const texts = useImportTexts().faults
  const wordsOf = useFaultWords(entity, run)
  const imported = new Set(run.columns.map(({ head }) => head))
  const faulty = new Set(page.data.flatMap(({ faults }) => faults.map(({ column }) => column)))
  // Those to correct come first: a wide file would hide them.
  const heads = page.heads
    .map((head, at) => ({ head, at, isFaulty: faulty.has(head) }))
    .filter(({ head }) => imported.has(head))
    .toSorted((one, other) => Number(other.isFaulty) - Number(one.isFaulty))
  const isWhole = ({ column }: Fault) => column === null || !imported.has(column)
  const hasWhole = page.data.some(({ faults }) => faults.some(isWhole))
  return (
    <DataTable
      label={texts.table}
      rows={page.data}
      keyOf={({ row }) => row}
      columns={[
        { key: '#', label: texts.row, isNumeric: true, render: ({ row }) => row },
        ...(hasWhole
          ? [
              {
                key: '!',
                label: texts.whole,
                isWide: true,
                render: ({ faults }: FaultyRow) =>
                  faults.filter(isWhole).map((fault) => (
                    <small key={fault.message} className="removed-refused" dir="auto">
                      {wordsOf(fault, '')}
                    </small>
                  )),
              },
            ]
          : []),
        ...heads.map(({ head, at }) => ({
          key: head,
          label: head,
          render: (row: FaultyRow) => {
            const fault = row.faults.find(({ column }) => column === head)
            const text = row.cells[at] ?? ''
            const said = fault && wordsOf(fault, text)
            // What is wrong with a whole row can be corrected in each of its cells.
            if (!mending || !(fault || row.faults.some(isWhole)))
              return <Plain text={text} said={said} />
            return (
              <FaultCell
                key={text}
                row={row.row}
                head={head}
                text={text}
                fault={fault}
                said={said}
                mending={mending}
              />
            )
          },
        })),
      ]}
    />
  )
}

const Plain = ({
  text,
  said,
}: {
  readonly text: string
  readonly said: string | undefined
}): ReactNode =>
  (text !== '' || said) && (
    <div>
      <span dir="auto">{text}</span>
      {said && (
        <small className="removed-refused" dir="auto">
          {said}
        </small>
      )}
    </div>
  )

/** The correction of another row that holds for all that are like it. */
const correctedAlike = (corrections: Corrections, head: string, text: string) =>
  [...corrections.values()].find((one) => one.alike && one.column === head && one.was === text)

type CellProps = {
  readonly row: number
  readonly head: string
  readonly text: string
  readonly fault: Fault | undefined
  /** Of the fault. */
  readonly said: string | undefined
  readonly mending: Mending
}

const FaultCell = ({ row, head, text, fault, said, mending }: CellProps): ReactNode => {
  const texts = useImportTexts().faults
  const id = useId()
  const own = mending.corrections.get(keyOf(row, head))
  const correction = own ?? (fault && correctedAlike(mending.corrections, head, text))
  const [isAlike, setIsAlike] = useState(false)
  const change = (next: string, alike: boolean) =>
    mending.correct(row, head, next === text ? undefined : { text: next, alike, was: text })
  const alike = fault?.alike ?? 1
  return (
    <div className="import-cell">
      <input
        className="field-input"
        aria-label={texts.cell(head, row)}
        aria-invalid={(fault && !correction) || undefined}
        aria-describedby={fault ? id : undefined}
        dir="auto"
        value={correction?.text ?? text}
        onChange={({ target }) => change(target.value, isAlike)}
      />
      {fault && (
        <small id={id} className="removed-refused" dir="auto">
          {said}
        </small>
      )}
      {alike > 1 && (
        <label>
          <input
            type="checkbox"
            checked={isAlike}
            onChange={({ target }) => {
              setIsAlike(target.checked)
              change(correction?.text ?? text, target.checked)
            }}
          />{' '}
          {texts.alike(alike)}
        </label>
      )}
    </div>
  )
}
