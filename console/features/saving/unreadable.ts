/** What an input cannot read, said by the page at its field and not by a bubble of the browser, which goes again. */
import { type FormEvent, useState } from 'react'

export type Unreadable = ReadonlyMap<string, string>

const columnOf = ({ target }: FormEvent): string | undefined =>
  target instanceof HTMLElement
    ? target.closest<HTMLElement>('[data-column]')?.dataset.column
    : undefined

const isInput = (target: EventTarget) =>
  target instanceof HTMLInputElement ||
  target instanceof HTMLTextAreaElement ||
  target instanceof HTMLSelectElement

/** Texts by column since the last attempt to send the form, and what a form tells of its inputs. */
export const useUnreadable = () => {
  const [unreadable, setUnreadable] = useState<Unreadable>(new Map())
  const onInvalidCapture = (event: FormEvent<HTMLFormElement>) => {
    const { target, currentTarget } = event
    const column = columnOf(event)
    if (column === undefined || !isInput(target)) return
    event.preventDefault()
    const text = target.validationMessage
    setUnreadable((all) => new Map(all).set(column, text))
    const first = currentTarget.querySelector('input:invalid, textarea:invalid, select:invalid')
    if (first === target) target.focus()
  }
  const onInput = (event: FormEvent<HTMLFormElement>) => {
    const column = columnOf(event)
    if (column === undefined || !unreadable.has(column)) return
    setUnreadable(new Map([...unreadable].filter(([one]) => one !== column)))
  }
  // Nothing is typed when a record is chosen from a list.
  const onBlur = (event: FormEvent<HTMLFormElement>) => {
    if (isInput(event.target) && event.target.validity.valid) onInput(event)
  }
  return { unreadable, formProps: { onInvalidCapture, onInput, onBlur } }
}
