/**
 * What is wrong with a form, said by the page at each field and not by a bubble of the browser, which goes again: when a field
 * is left, and for all fields at once before the form is sent.
 */
import { type FocusEvent, type FormEvent, type ReactNode, type RefObject, useState } from 'react'
import type { Field } from '../../api/types.ts'
import { isBlank, isFaulty, prepareRules } from '../values/entered.ts'
import { faultyValue } from '../values/refused-value.tsx'

/** A field with what was entered. */
export type Entered = {
  readonly field: Field
  readonly value: unknown
  /** Whether it must not be left empty. */
  readonly isNeeded: boolean
}

/** Texts by column. */
export type Faults = ReadonlyMap<string, ReactNode>

/** The input that an event is about, with the column of its field. */
const inputOf = ({ target }: FormEvent) => {
  const input = target as HTMLInputElement
  const row = input.matches('input, select, textarea') ? input.closest('[data-column]') : null
  return { input, column: row?.getAttribute('data-column') ?? '' }
}

const isWrong = ({ field, value, isNeeded }: Entered): boolean =>
  isBlank(value) ? isNeeded : isFaulty(value, field)

const keyOf = ({ column, key }: Field): string => column ?? key

type Form = RefObject<HTMLFormElement | null>

/** The first field of the form that is one of these, or whose input cannot be read. */
const focusFirst = (form: Form, columns: ReadonlySet<string>): void => {
  const rows = form.current?.querySelectorAll<HTMLElement>('[data-column]') ?? []
  const first = [...rows].find(
    (row) => columns.has(row.dataset.column ?? '') || row.querySelector(':invalid'),
  )
  first?.querySelector<HTMLElement>(':is(input, select, textarea)')?.focus()
}

// Judged by its rules: its input can be read.
const judged = ''

/** Faults since a field was left or the form was to be sent, what a form tells of its inputs, and whether it can be sent. */
export const useFaults = (form: Form, entered: readonly Entered[]) => {
  // By column what its input cannot read. Of what is typed just now, nothing is said.
  const [told, setTold] = useState<ReadonlyMap<string, string>>(new Map())
  const tell = (column: string, text: string) => setTold((all) => new Map(all).set(column, text))
  const forget = (column: string) =>
    setTold((all) => new Map([...all].filter(([one]) => one !== column)))
  const find = (column: string) => entered.find(({ field }) => keyOf(field) === column)
  const onFocus = () => {
    // What was left before they were there is judged then; what cannot be loaded now is loaded with the next field.
    prepareRules(entered.map(({ field }) => field)).then(
      () => setTold((all) => (all.size > 0 ? new Map(all) : all)),
      () => undefined,
    )
  }
  const onInvalidCapture = (event: FormEvent<HTMLFormElement>) => {
    const { input, column } = inputOf(event)
    if (column === '') return
    event.preventDefault()
    tell(column, input.validationMessage)
  }
  const onInput = (event: FormEvent<HTMLFormElement>) => {
    const { column } = inputOf(event)
    if (told.has(column)) forget(column)
  }
  const onBlur = (event: FocusEvent<HTMLFormElement>) => {
    const { input, column } = inputOf(event)
    // A text that appears now would move the button away that is being pressed.
    if (column === '' || event.relatedTarget?.matches(':active') || !input.checkValidity()) return
    const one = find(column)
    // Whoever passes by an empty field has not made a mistake yet.
    if (one && !isBlank(one.value)) tell(column, judged)
    else forget(column)
  }
  const faults: Faults = new Map(
    [...told].flatMap(([column, text]): [string, ReactNode][] => {
      if (text !== judged) return [[column, text]]
      const one = find(column)
      return one && isWrong(one) ? [[column, faultyValue(one.field, one.value)]] : []
    }),
  )
  /** Says what is wrong and leads to the first of it; true if nothing is. */
  const isFit = (): boolean => {
    setTold(new Map(entered.map(({ field }) => [keyOf(field), judged])))
    const wrong = new Set(entered.filter(isWrong).map(({ field }) => keyOf(field)))
    const isRead = form.current?.checkValidity() ?? true
    if (isRead && wrong.size === 0) return true
    focusFirst(form, wrong)
    return false
  }
  return {
    faults,
    isFit,
    /** As if nothing had been left or sent yet. */
    forgetFaults: () => setTold(new Map()),
    formProps: { onFocus, onInvalidCapture, onInput, onBlur, noValidate: true },
  }
}
