/** What stands below the fields as long as something is not saved: what is wrong with it, and saving it. */
import type { ReactNode } from 'react'
import { ApiProblem } from '../../api/client.ts'
import { Button } from '../../parts/button.tsx'
import { useRecordPageTexts } from '../../texts/record-page/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { IssueLinks, type LinksProps } from '../forms/field-issues.tsx'
import type { KeptRecord } from './use-kept-record.ts'

/** Others have saved meanwhile: what they changed is on the screen now. */
const isStale = (error: Error): boolean => error instanceof ApiProblem && error.status === 412

/** Which are said at their fields. */
const hasIssues = (error: Error): boolean =>
  error instanceof ApiProblem && error.issues.some(({ path }) => path !== '')

type BarProps = LinksProps & { readonly edited: KeptRecord }

export const SaveBar = ({ edited, issues, form }: BarProps): ReactNode => {
  const { record, common } = useTexts()
  const { draft, save, conflicts, isGone } = edited
  if (draft.size === 0) return null
  return (
    <div className="save-bar">
      {issues.size > 0 ? (
        <IssueLinks issues={issues} form={form} error={save.error} />
      ) : (
        <State edited={edited} />
      )}
      <Button look="quiet" onClick={edited.discard}>
        {record.discard}
      </Button>
      <Button
        type="submit"
        look="primary"
        disabled={save.isPending || conflicts.length > 0 || isGone}
      >
        {common.save}
      </Button>
    </div>
  )
}

const State = ({ edited }: { readonly edited: KeptRecord }): ReactNode => {
  const { drafts } = useTexts()
  const recordPage = useRecordPageTexts()
  const { draft, save, conflicts, isRestored } = edited
  if (save.error && conflicts.length === 0 && !hasIssues(save.error))
    return <span role="alert">{isStale(save.error) ? recordPage.merged : save.error.message}</span>
  return (
    <span role="status">
      {conflicts.length > 0
        ? recordPage.conflicts(conflicts.length)
        : recordPage.unsaved(draft.size)}
      {isRestored && <span className="save-note"> {drafts.restored}</span>}
    </span>
  )
}
