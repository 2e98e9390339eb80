/** Importing a file into an entity, on one page from top to bottom: file, columns, check, import, result. */
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { isRefusal } from '../api/client.ts'
import {
  type ChosenFile,
  checkFile,
  type ImportLook,
  type ImportSettings,
  lookQuery,
} from '../api/records/imports.ts'
import type { Entity } from '../api/types.ts'
import { ColumnTable, RowPreview } from '../features/import/column-table.tsx'
import { FileChoice, FoundFile } from '../features/import/file-choice.tsx'
import { loadImportTexts, useImportTexts } from '../features/import/import-texts.ts'
import { missingLabels } from '../features/import/import-words.ts'
import { firstMode, ModeChoice } from '../features/import/mode-choice.tsx'
import { RunList } from '../features/import/run-list.tsx'
import { RunView } from '../features/import/run-view.tsx'
import {
  bestOf,
  SavedChoice,
  type SavedImports,
  SaveImport,
  useSavedImports,
  withSaved,
} from '../features/import/saved-imports.tsx'
import { PageHeading } from '../features/session/page-title.tsx'
import { useSession } from '../features/session/session.ts'
import { Button } from '../parts/button.tsx'
import { ProblemNote, Waiting } from '../parts/notes.tsx'
import { TitledSection } from '../parts/sections.tsx'
import { NotFound } from './not-found.tsx'
import './import.css'

/** The page with its texts. */
export const loadImport = async (): Promise<ComponentType> => {
  await loadImportTexts()
  return Import
}

const Import = (): ReactNode => {
  const { entity: key } = useParams({ from: '/$entity/import' })
  const entity = useSession().entities.get(key)
  if (!entity || entity.permissions.import === false) return <NotFound />
  return <EntityImport key={key} entity={entity} />
}

const noSettings = (entity: Entity): ImportSettings => ({
  mode: firstMode(entity),
  match: [],
  emptyCells: 'keep',
  columns: {},
})

type Props = { readonly entity: Entity }

const EntityImport = ({ entity }: Props): ReactNode => {
  const texts = useImportTexts()
  const { run } = useSearch({ from: '/$entity/import' })
  const navigate = useNavigate({ from: '/$entity/import' })
  const [chosen, setChosen] = useState<ChosenFile>()
  const [settings, setSettings] = useState(() => noSettings(entity))
  const show = (id: number | undefined) =>
    void navigate({ search: id === undefined ? {} : { run: id } })
  return (
    <div className="removed import-page">
      <PageHeading title={texts.title(entity.pluralName)} />
      <p>
        <Link to="/$entity" params={{ entity: entity.key }}>
          {texts.toList(entity.pluralName)}
        </Link>
      </p>
      {run === undefined ? (
        <>
          <FileChoice
            file={chosen?.file}
            onFile={(file) => {
              setChosen(({ key } = { file, key: 0 }) => ({ file, key: key + 1 }))
              setSettings(noSettings(entity))
            }}
          />
          {chosen && (
            <Columns
              entity={entity}
              chosen={chosen}
              settings={settings}
              onSettings={setSettings}
              onChecked={show}
            />
          )}
        </>
      ) : (
        <RunView key={run} entity={entity} id={run} onLeave={() => show(undefined)} />
      )}
      <RunList entity={entity} />
    </div>
  )
}

type ColumnsProps = Props & {
  readonly chosen: ChosenFile
  readonly settings: ImportSettings
  readonly onSettings: (settings: ImportSettings) => void
  readonly onChecked: (run: number) => void
}

/** What was found in the file, and what each of its columns is for. */
const Columns = (props: ColumnsProps): ReactNode => {
  const { entity, chosen, settings, onSettings } = props
  const texts = useImportTexts().file
  const { data, error, isFetching, refetch } = useQuery(lookQuery(entity.key, chosen, settings))
  // What the file was taken for can be corrected also when it cannot be read as that.
  const [last, setLast] = useState(data)
  if (data && data !== last) setLast(data)
  const failure = isFetching ? null : error
  if (failure && !isRefusal(failure))
    return <ProblemNote error={failure} onRetry={() => void refetch()} />
  const change = (some: Partial<ImportSettings>) => onSettings({ ...settings, ...some })
  const look = data ?? last
  if (!look && !failure) return <Waiting />
  return (
    <>
      {look && <FoundFile look={failure ? { ...look, ...settings } : look} onChange={change} />}
      {failure && (
        <p role="alert" className="removed-refused" dir="auto">
          {chosen.file.size === 0 ? texts.empty : failure.message} {look && texts.correct}
        </p>
      )}
      {look && !failure && <ColumnChoice {...props} look={look} isFetching={isFetching} />}
    </>
  )
}

type ChoiceProps = ColumnsProps & { readonly look: ImportLook; readonly isFetching: boolean }

const ColumnChoice = (props: ChoiceProps): ReactNode => {
  const { entity, chosen, settings, look, isFetching, onSettings, onChecked } = props
  const texts = useImportTexts()
  const saved = useSavedImports(entity, look)
  useGuess(props, saved)
  const check = useMutation({
    mutationFn: () => checkFile(entity.key, chosen, settings),
    onSuccess: ({ id }) => onChecked(id),
  })
  const change = (some: Partial<ImportSettings>) => onSettings({ ...settings, ...some })
  const isReady =
    look.rows.length > 0 &&
    look.issues.length === 0 &&
    look.columns.every(({ issue }) => issue === null)
  return (
    <TitledSection title={texts.columns.title}>
      <SavedChoice
        saved={saved}
        settings={settings}
        none={noSettings(entity)}
        onChange={onSettings}
      />
      <ColumnTable
        entity={entity}
        look={look}
        columns={settings.columns}
        onChange={(columns) => change({ columns })}
      />
      <ModeChoice entity={entity} look={look} settings={settings} onChange={change} />
      <Issues entity={entity} look={look} mode={settings.mode} />
      <RowPreview entity={entity} look={look} />
      <SaveImport saved={saved} look={look} settings={settings} onChange={onSettings} />
      <div className="import-line">
        <Button
          look="primary"
          disabled={!isReady || isFetching || check.isPending}
          onClick={() => check.mutate()}
        >
          {texts.check.start}
        </Button>
        <span role="status">{check.isPending ? texts.check.sending : texts.check.nothing}</span>
      </div>
      {check.error && (
        <p role="alert" className="removed-refused" dir="auto">
          {check.error.message}
        </p>
      )}
    </TitledSection>
  )
}

/** Of what is saved, that which fits the heads of the file is chosen, until the user says something of the columns. */
const useGuess = ({ settings, onSettings, isFetching }: ChoiceProps, { all }: SavedImports) => {
  const isOpen = settings.saved === undefined && Object.keys(settings.columns).length === 0
  const best = isOpen && !isFetching ? bestOf(all) : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what fits best
  useEffect(() => {
    if (best) onSettings(withSaved(settings, best))
  }, [best?.id])
}

type IssuesProps = Props & { readonly look: ImportLook; readonly mode: ImportSettings['mode'] }

/** Why the file cannot be checked yet. */
const Issues = ({ entity, look, mode }: IssuesProps): ReactNode => {
  const texts = useImportTexts().columns
  const { entities } = useSession()
  const paths = look.columns.flatMap(({ path }) => path ?? [])
  const missing = mode === 'update' ? [] : missingLabels({ entity, entities }, paths)
  const open = look.columns.filter(({ issue }) => issue !== null).length
  return (
    <div role="status" className="removed-refused" dir="auto">
      {look.rows.length === 0 && <p>{texts.noRows}</p>}
      {open > 0 && <p>{texts.open(open)}</p>}
      {look.issues.map(({ head, message }) => (
        <p key={`${head} ${message}`}>{head === null ? message : `${head}: ${message}`}</p>
      ))}
      {missing.length > 0 && <p>{texts.missing(missing.join(', '))}</p>}
    </div>
  )
}
