/** Asks for the number of a row. */
import { type ReactNode, useId } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog, DialogActions } from '../../parts/dialog.tsx'
import { useTexts, useWorkTexts } from '../../texts/texts.ts'

type DialogProps = {
  readonly count: number
  readonly row: number
  readonly onRow: (row: number) => void
  readonly onClose: () => void
}

export const RowDialog = ({ count, row, onRow, onClose }: DialogProps): ReactNode => {
  const { cells } = useTexts()
  const texts = useWorkTexts().changedCell
  const id = useId()
  return (
    <Dialog title={cells.goToRow} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          onRow(Number(new FormData(event.currentTarget).get('row')) - 1)
          // The browser gives the focus back when it closes the dialog.
          event.currentTarget.closest('dialog')?.close()
        }}
      >
        <label htmlFor={id}>{texts.rowOf(count)}</label>
        <input
          id={id}
          name="row"
          type="number"
          className="field-input"
          required
          min={1}
          max={count}
          defaultValue={row + 1}
          onFocus={({ target }) => target.select()}
        />
        <DialogActions onCancel={onClose}>
          <Button type="submit" look="primary">
            {texts.go}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
