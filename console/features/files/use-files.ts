/** The files of a field in a form: taking, moving and removing them, and what has become of those that are sent. */
import {
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react'
import type { RecordPlace } from '../../api/records/documents.ts'
import type { Field } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { type FileItem, itemsOf, keyOf } from './file-values.ts'
import { type Offered, sortOut } from './taken-files.ts'
import { dropUploads, settledItem, startUpload, uploadStates, watchUploads } from './uploads.ts'

export type FilesProps = {
  readonly id: string
  readonly field: Field
  readonly value: unknown
  /** The record that has the value, if it is saved. */
  readonly place?: RecordPlace | undefined
  readonly isInvalid: boolean
  /** Names the element that says more. */
  readonly describedBy: string | undefined
  readonly onChange: (value: unknown) => void
}

/** Browsers take the focus from what moves. */
const useKeptFocus = () => {
  const list = useRef<HTMLOListElement>(null)
  const moved = useRef<string>(undefined)
  useLayoutEffect(() => {
    if (moved.current === undefined) return
    list.current?.querySelector<HTMLElement>(`[data-file="${moved.current}"] button`)?.focus()
    moved.current = undefined
  })
  return { list, moved }
}

export const useFiles = ({ field, value, onChange }: FilesProps) => {
  const texts = useWorkTexts().files
  const { locale } = useReading()
  const states = useSyncExternalStore(watchUploads, uploadStates)
  const [refused, setRefused] = useState<readonly string[]>([])
  const [announced, announce] = useState('')
  const { list, moved } = useKeptFocus()
  const items = itemsOf(value)
  const isOne = field.type === 'file'
  const set = (next: readonly FileItem[]) => onChange(isOne ? (next[0] ?? null) : next)
  const settle = useEffectEvent(() => {
    const settled = items.map(settledItem)
    const ended = settled.filter((item, at) => item !== items[at])
    if (ended.length === 0) return
    announce(ended.map(({ filename }) => texts.ended(filename)).join(' '))
    set(settled)
  })
  // Two that end at the same time may both be put into the value that was shown last: the next rendering puts it right.
  useEffect(() => settle())
  return {
    items,
    states,
    /** Why files were not taken. */
    refused,
    /** What a screen reader says. */
    announced,
    list,
    take: (offered: readonly Offered[]) => {
      const found = sortOut(offered, field, isOne ? 0 : items.length, { texts, locale })
      setRefused(found.refused)
      if (found.taken.length === 0) return
      if (isOne) dropUploads(items)
      announce(texts.begun(found.taken.length))
      const begun = found.taken.map((file) => startUpload(file, field))
      set(isOne ? begun : [...items, ...begun])
    },
    move: (from: number, to: number) => {
      const item = items[from]
      if (!item || to < 0 || to >= items.length) return
      moved.current = keyOf(item)
      announce(texts.moved(item.filename, to + 1, items.length))
      set(items.toSpliced(from, 1).toSpliced(to, 0, item))
    },
    remove: (item: FileItem) => {
      dropUploads(item)
      setRefused([])
      announce(texts.removed(item.filename))
      set(items.filter((one) => one !== item))
    },
  }
}

export type Files = ReturnType<typeof useFiles>
