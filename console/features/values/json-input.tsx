/** The input of a JSON value: its text, indented, with every digit as it is stored, and what is wrong with it. */
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { parseExact } from '../../api/exact-json.ts'
import { useWorkTexts, type WorkTexts } from '../../texts/texts.ts'
import { commonProps, type InputProps, useTypedText } from './input-props.ts'
import { findFault } from './json-fault.ts'

const printed = (value: unknown): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2)

/** The value of a text; undefined where it is malformed. */
const readJson = (text: string): unknown => {
  try {
    return text.trim() === '' ? null : parseExact(text)
  } catch {
    return undefined
  }
}

const fewestLines = 4
const mostLines = 20
// No fault is shown between two keys.
const pauseMs = 600

/** What is wrong with what was typed: known at once to the form, and said after a pause, or when the input is left. */
const useFault = () => {
  const texts = useWorkTexts()
  const input = useRef<HTMLTextAreaElement>(null)
  const [said, setSaid] = useState('')
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const tell = () => {
    const { current } = input
    if (!current || readJson(current.value) !== undefined) return
    const fault = describeFault(current.value, texts.json)
    current.setCustomValidity(fault)
    setSaid(fault)
  }
  const look = (isMalformed: boolean, waitMs: number) => {
    clearTimeout(timer.current)
    input.current?.setCustomValidity(isMalformed ? said || texts.values.json : '')
    if (isMalformed) timer.current = setTimeout(tell, waitMs)
    else setSaid('')
  }
  return { input, said, look }
}

export const JsonInput = (props: InputProps): ReactNode => {
  const { text, setTyped, forget } = useTypedText(printed(props.value))
  const { input, said, look } = useFault()
  const noteId = useId()
  // The form says it at its field once it was to be sent.
  const isSaid = said !== '' && !props.isInvalid
  const describedBy = [isSaid && noteId, props.describedBy].filter(Boolean).join(' ')
  const lines = text.split('\n').length
  return (
    <div>
      <textarea
        {...commonProps({ ...props, describedBy: describedBy || undefined })}
        {...(isSaid && { 'aria-invalid': true })}
        ref={input}
        className="field-input field-code"
        rows={Math.min(Math.max(lines, fewestLines), mostLines)}
        spellCheck={false}
        autoCapitalize="off"
        dir="ltr"
        value={text}
        onChange={({ target }) => {
          setTyped(target.value)
          const value = readJson(target.value)
          look(value === undefined, pauseMs)
          if (value !== undefined) props.onChange(value)
        }}
        onBlur={({ target }) => {
          const isMalformed = readJson(target.value) === undefined
          look(isMalformed, 0)
          if (!isMalformed) forget()
        }}
      />
      <p id={noteId} role="status" className="field-issue" dir="auto">
        {isSaid && said}
      </p>
    </div>
  )
}

const longestLine = 40

/** Says what is wrong with a text that is no JSON, in one sentence in the language of the page. */
const describeFault = (text: string, texts: WorkTexts['json']): string => {
  const fault = findFault(text)
  if (!fault) return texts.unreadable
  const line = text.slice(0, fault.at).split('\n').length
  const content = text.split('\n')[line - 1]?.trim() ?? ''
  const shown = content.length > longestLine ? `${content.slice(0, longestLine)}…` : content
  return texts.fault(line, shown, texts.faults[fault.kind])
}
