/** Answers for tasks that a page writes: what it writes is in what it reads next. */
import { type Answer, type Answers, type Asked, type Given, problem } from './answers.ts'

export type TaskRow = {
  readonly id: number
  readonly description: string
  readonly is_completed: boolean
  readonly due_date: string | null
  readonly assigne_id: number | null
  readonly key: string
  readonly entity_id: number
  readonly _version: number
}

/** Users whom tasks are assigned to. */
export const people = [
  { id: 1, full_name: 'administrator' },
  { id: 2, full_name: 'Ana Horvat' },
]

const at = '2026-01-01T00:00:00.000Z'
/** What the service says too, and no page shows. */
const rest = {
  type: 'manual',
  payload: null,
  _is_deleted: false,
  _created_by: 1,
  _updated_by: 1,
  _created_at: at,
  _updated_at: at,
  updated_by: null,
  related_entities: [],
}

export const taskOf = (id: number, description: string, more: Partial<TaskRow> = {}): TaskRow => ({
  ...rest,
  id,
  description,
  is_completed: false,
  due_date: null,
  assigne_id: 1,
  key: 'order',
  entity_id: 1,
  _version: 1,
  ...more,
})

const isOf: Readonly<Record<string, (task: TaskRow) => boolean>> = {
  open: () => true,
  overdue: ({ due_date }) => due_date !== null && Date.parse(due_date) < Date.now(),
  upcoming: ({ due_date }) => due_date !== null && Date.parse(due_date) > Date.now(),
  today: () => false,
}

/** The tasks of records, of which some are the user's own, as a service keeps them. */
export const keepTasks = (given: readonly TaskRow[], places: readonly string[] = ['order/1']) => {
  const tasks = [...given]
  const placeOf = ({ key, entity_id }: TaskRow) => `${key}/${entity_id}`
  const ofStatus = (status: string) =>
    tasks.filter((task) =>
      status === 'completed'
        ? task.is_completed
        : !task.is_completed && task.assigne_id === 1 && isOf[status]?.(task),
    )
  const counts = () =>
    Object.fromEntries(
      ['open', 'overdue', 'today', 'upcoming', 'completed'].map((status) => [
        status,
        ofStatus(status).length,
      ]),
    )
  /** Writes as a user does, with another version. */
  const write = (id: number, values: object): Given => {
    const place = tasks.findIndex((one) => one.id === id)
    const task = tasks[place]
    if (!task) return problem(404, 'record.unknown', 'There is no such task.')
    tasks[place] = { ...task, ...values, _version: task._version + 1 }
    return { status: 204 }
  }
  const remove = (id: number) =>
    tasks.splice(
      tasks.findIndex((one) => one.id === id),
      1,
    )
  const change = (id: number, { headers, body }: Asked): Given => {
    const expected = headers.get('If-Match')
    const version = tasks.find((one) => one.id === id)?._version
    return expected !== null && expected !== `"${version}"`
      ? problem(412, 'record.stale', 'The record has changed since you read it.')
      : write(id, body as object)
  }
  const answers: Record<string, Answer> = {
    'GET /api/tasks': ({ query }) => ({ body: { data: ofStatus(query.get('status') ?? 'open') } }),
    'GET /api/tasks/count': () => ({ body: counts() }),
  }
  /** The answers to a task by its id. */
  const answerTo = (place: string, id: number) => {
    answers[`PUT /${place}/${id}`] = (asked) => change(id, asked)
    answers[`DELETE /${place}/${id}`] = () => {
      remove(id)
      return { status: 204 }
    }
  }
  for (const place of places) {
    answers[`GET /${place}/task`] = () => ({
      body: tasks
        .filter((task) => placeOf(task) === place)
        .map((task) => ({
          ...task,
          assigne: people.find(({ id }) => id === task.assigne_id) ?? null,
        })),
    })
    answers[`POST /${place}/task`] = ({ body }) => {
      const [key = '', record] = place.split('/')
      const id = Math.max(0, ...tasks.map((task) => task.id)) + 1
      const task = { ...taskOf(id, ''), key, entity_id: Number(record), ...(body as object) }
      tasks.push(task)
      answerTo(place, id)
      return { status: 201, body: task }
    }
  }
  for (const task of given) answerTo(placeOf(task), task.id)
  return { tasks, write, remove, answers: answers as Answers }
}
