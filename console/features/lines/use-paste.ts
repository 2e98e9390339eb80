/** Fills cells with a range that was copied in a spreadsheet. */
import { type ClipboardEvent, useState } from 'react'
import { useWorkTexts } from '../../texts/texts.ts'
import type { Place } from '../grid/grid-props.ts'
import { useReading, useSession } from '../session/session.ts'
import { readPasted } from './paste.ts'
import { readTable } from './table-text.ts'
import { type Lines, type LinesForm, mostLines } from './use-lines.ts'

/** From a cell on; rows below the last one are new lines. `said` is for users who do not see the cells. */
export const usePaste = (form: LinesForm, lines: Lines) => {
  const { entities } = useSession()
  const reading = useReading()
  const texts = useWorkTexts().lines
  const [said, setSaid] = useState('')
  const paste = async (text: string, { row: firstRow, column: firstColumn }: Place) => {
    const { rows, write } = lines
    const table = readTable(text)
    const room = form.rights.mayCreate ? mostLines : rows.length
    const shown = table.slice(0, Math.max(0, room - firstRow))
    const more = lines.begin(Math.max(0, firstRow + shown.length - rows.length))
    const columns = form.related.typed.slice(firstColumn)
    const fields = columns.map(
      (column) => lines.columns.find(({ listColumn }) => listColumn === column)?.field,
    )
    const cells = await readPasted(shown, fields, { reading, entities })
    const written = cells.flatMap(({ row: below, at, field, value, linked }) => {
      const row = firstRow + below
      const line = more[row - rows.length]
      const target = line
        ? { row: { id: line.key }, saved: undefined, line }
        : lines.fieldAt({ row, column: firstColumn + at })?.at
      const column = field.column ?? field.key
      return target ? [{ row: target, column, value, linked }] : []
    })
    write(written, more)
    setSaid(texts.pasted(shown.length, table.length))
  }
  const tried = (text: string, place: Place) =>
    paste(text, place).catch((error: Error) => setSaid(error.message))
  return {
    said,
    paste: tried,
    onPaste: (event: ClipboardEvent, place: Place) => {
      const text = event.clipboardData.getData('text/plain')
      if (text === '' || form.isSaving) return
      event.preventDefault()
      void tried(text, place)
    },
  }
}
