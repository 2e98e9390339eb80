/** Saves what the list shows, all of it, as a file. */
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { type AuditQuery, openAuditFile } from '../../api/admin/audit.ts'
import { Button } from '../../parts/button.tsx'
import { useAdminTexts } from '../../texts/texts.ts'
import { chooseTarget, type OfferedFile } from '../export/file-target.ts'
import { Failure } from './work-table.tsx'

export const AuditExport = ({ filter }: { readonly filter: AuditQuery }): ReactNode => {
  const { audit: texts } = useAdminTexts()
  const saving = useMutation({ mutationFn: () => save(filter) })
  return (
    <span className="admin-row">
      <Button disabled={saving.isPending} onClick={() => saving.mutate()}>
        {texts.save}
      </Button>
      <Failure error={saving.error} />
    </span>
  )
}

/** A file that was cut is not kept. */
const save = async (filter: AuditQuery): Promise<void> => {
  const name = `audit-${new Date().toISOString().slice(0, 10)}.csv`
  const target = await chooseTarget(name)
  if (!target) return
  try {
    const { body } = await openAuditFile(filter)
    for await (const bytes of partsOf(body)) await target.write(bytes)
    offer(await target.keep(), name)
  } catch (error) {
    await target.discard()
    throw error
  }
}

async function* partsOf(body: ReadableStream<Uint8Array<ArrayBuffer>> | null) {
  const reader = body?.getReader()
  for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
    yield part.value
}

const offer = (file: OfferedFile | undefined, name: string): void => {
  if (!file) return
  const link = document.createElement('a')
  link.href = file.url
  link.download = name
  link.click()
  file.forget()
}
