/** The input of a field of files: they are chosen, dropped, pasted or photographed, and sent at once; the form is sent with what they became. */
import { type DragEvent as AreaDrag, type ReactNode, useEffect, useRef, useState } from 'react'
import { labelOf } from '../../../src/definitions/values/rules/key-names.ts'
import { Button } from '../../parts/button.tsx'
import { useMedia } from '../../parts/use-media.ts'
import { useRowDrag } from '../../parts/use-row-drag.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { useViewer } from './file-list.tsx'
import { FileRow } from './file-row.tsx'
import { keyOf } from './file-values.ts'
import { filesOf } from './shown-files.ts'
import { limitsOf, type Offered, picturesOf } from './taken-files.ts'
import { type FilesProps, useFiles } from './use-files.ts'
import './files.css'

// A new record has no files yet.
const nowhere = { entity: '', id: 0 }

type InputProps = FilesProps & {
  /** A text that the files belong to: they are dropped on it and pasted into it, too. */
  readonly children?: ReactNode
}

export const FilesInput = ({ children, ...props }: InputProps): ReactNode => {
  const { id, field, place = nowhere } = props
  const texts = useWorkTexts().files
  const { locale } = useReading()
  const files = useFiles(props)
  const { items, refused } = files
  const { viewer, open } = useViewer(place, filesOf(items))
  const area = useRef<HTMLDivElement>(null)
  const focusInput = () => area.current?.querySelector('input')?.focus()
  const drag = useRowDrag(files.move)
  const label = labelOf(field)
  const { isOver, dropProps } = useDrop((transfer) => files.take(offeredIn(transfer)))
  const isHeld = useMedia('(pointer: coarse)')
  const help = [
    ...(field.required ? [texts.needed] : []),
    ...(isHeld ? [] : [texts.drop]),
    limitsOf(field, { texts, locale }),
  ].join(' ')
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys and screen readers choose files with the input in it
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input takes the focus by keys, too
    <div
      ref={area}
      className="files-input"
      data-around={children !== undefined || undefined}
      data-over={isOver || undefined}
      {...dropProps}
      // What is pasted goes where the focus is.
      onClick={({ target }) => {
        const isOwn = children === undefined
        if (isOwn && !(target as Element).closest('label, button, input')) focusInput()
      }}
      onPaste={(event) => {
        const pasted = offeredIn(event.clipboardData)
        // What is copied from a table is a picture as well as a text.
        const isText = children !== undefined && event.clipboardData.types.includes('text/plain')
        if (pasted.length === 0 || isText) return
        event.preventDefault()
        files.take(pasted.map((one) => namedByTime(one, label)))
      }}
    >
      {children}
      {items.length > 0 && (
        <ol ref={files.list}>
          {items.map((item, at) => (
            <FileRow
              key={keyOf(item)}
              item={item}
              at={at}
              files={files}
              drag={drag}
              hintId={`${id}-move`}
              place={place}
              onOpen={open}
              onRemove={() => {
                files.remove(item)
                focusInput()
              }}
            />
          ))}
        </ol>
      )}
      <span id={`${id}-move`} hidden>
        {texts.moveHint}
      </span>
      <Choice {...props} hasFile={items.length > 0} isHeld={isHeld} onFiles={files.take} />
      <p id={`${id}-takes`} className="field-help" hidden={children !== undefined}>
        {help}
      </p>
      <div role="alert">
        {[...new Set(refused)].map((text) => (
          <p key={text} className="field-issue" dir="auto">
            {text}
          </p>
        ))}
      </div>
      <p role="status" className="visually-hidden">
        {files.announced}
      </p>
      {viewer}
    </div>
  )
}

type ChoiceProps = FilesProps & {
  readonly hasFile: boolean
  /** Whether the device is held in the hand. */
  readonly isHeld: boolean
  readonly onFiles: (offered: readonly Offered[]) => void
}

/** The choice among the files of the device, and on one that is held in the hand its camera. */
const Choice = (props: ChoiceProps): ReactNode => {
  const { id, field, isInvalid, describedBy, hasFile, isHeld, onFiles } = props
  const texts = useWorkTexts().files
  const camera = useRef<HTMLInputElement>(null)
  const isOne = field.type === 'file'
  const pictures = picturesOf(field)
  const onChange = ({ target }: { readonly target: HTMLInputElement }) => {
    const chosen = [...(target.files ?? [])]
    // The same file can be chosen again.
    target.value = ''
    onFiles(chosen.map((file) => ({ file })))
  }
  return (
    <div className="files-choice">
      <input
        id={id}
        type="file"
        className="visually-hidden"
        multiple={!isOne}
        accept={field.accept?.join(',')}
        aria-invalid={isInvalid || undefined}
        aria-describedby={[describedBy, `${id}-takes`].filter(Boolean).join(' ')}
        onChange={onChange}
      />
      <label htmlFor={id} className="button">
        {isOne && hasFile ? texts.other : texts.choose(isOne)}
      </label>
      {isHeld && pictures !== undefined && (
        <>
          <Button onClick={() => camera.current?.click()}>{texts.photo}</Button>
          <input
            ref={camera}
            type="file"
            hidden
            accept={pictures}
            capture="environment"
            onChange={onChange}
          />
        </>
      )}
    </div>
  )
}

/** What is dropped or pasted. */
const offeredIn = ({ items }: DataTransfer): readonly Offered[] =>
  [...items].flatMap((item) => {
    const file = item.kind === 'file' ? item.getAsFile() : null
    return file ? [{ file, isFolder: item.webkitGetAsEntry()?.isDirectory === true }] : []
  })

/** Browsers call every pasted picture the same. */
const namedByTime = ({ file, ...more }: Offered, label: string): Offered => {
  if (file.name !== 'image.png') return { file, ...more }
  const time = new Date().toLocaleString('sv').replaceAll(':', '.')
  return { file: new File([file], `${label} ${time}.png`, { type: file.type }), ...more }
}

const hasFiles = ({ dataTransfer }: { readonly dataTransfer: DataTransfer | null }): boolean =>
  dataTransfer?.types.includes('Files') === true

/** Outside of the areas that take files, a browser would leave the page and show the file. */
const useDropGuard = (): void =>
  useEffect(() => {
    const guard = (event: DragEvent) => {
      if (event.defaultPrevented || !hasFiles(event)) return
      event.preventDefault()
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'none'
    }
    for (const type of ['dragover', 'drop'] as const) addEventListener(type, guard)
    return () => {
      for (const type of ['dragover', 'drop'] as const) removeEventListener(type, guard)
    }
  }, [])

type ReactDrag = AreaDrag<HTMLElement>

/** What an area needs that takes dropped files, and whether one is dragged over it. */
const useDrop = (onDrop: (transfer: DataTransfer) => void) => {
  const [isOver, setIsOver] = useState(false)
  useDropGuard()
  const dropProps = {
    onDragOver: (event: ReactDrag) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'copy'
      setIsOver(true)
    },
    onDragLeave: ({ currentTarget, relatedTarget }: ReactDrag) => {
      // Leaving a part of the area is no leaving of it.
      if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget)))
        setIsOver(false)
    },
    onDrop: (event: ReactDrag) => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setIsOver(false)
      onDrop(event.dataTransfer)
    },
  }
  return { isOver, dropProps }
}
