/** `docket restore` reports its outcome correctly when the last step fails. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { backUp, createDatabase, project, startService } from '../../support/backup/a-backup.ts'
import { runDocket } from '../../support/docket.ts'
import { writeProject } from '../../support/service.ts'

/** Restores, in a process of its own, a database with additional objects. */
const restoreWith = async (t: TestContext, additionalSql: string) => {
  const { database } = await startService(t)
  await database.pool.query(additionalSql)
  const PROJECT = await writeProject(project)
  const file = join(PROJECT, 'backup.tar.gz')
  await writeFile(file, await backUp(database))
  const target = await createDatabase(t)
  const environment = { DATABASE_URL: target.connectionString, PROJECT }
  return { target, outcome: await runDocket(['restore', file], environment) }
}

test('restore succeeds with a warning when statistics cannot be collected', async (t) => {
  const { target, outcome } = await restoreWith(
    t,
    `CREATE FUNCTION records.cut(name text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS
       $$BEGIN IF current_query() LIKE 'ANALYZE%' THEN RAISE 'no sample'; END IF; RETURN left(name, 3); END$$;
     CREATE INDEX ON records.city (records.cut(name))`,
  )
  assert.equal(outcome.code, 0, outcome.err)
  assert.match(outcome.err, /was restored/)
  assert.match(outcome.err, /statistics .*no sample.*ANALYZE/)
  assert.equal((await target.ask('SELECT FROM records.city')).length, 2)
})

test('restore reports an unknown outcome when the connection breaks at the commit', async (t) => {
  const { outcome } = await restoreWith(
    t,
    `CREATE FUNCTION docket.disconnect() RETURNS trigger LANGUAGE plpgsql AS
       $$BEGIN IF current_setting('application_name') = 'docket restore' THEN
         PERFORM pg_terminate_backend(pg_backend_pid()); END IF; RETURN NULL; END$$;
     CREATE CONSTRAINT TRIGGER disconnect AFTER INSERT OR UPDATE ON docket.sending_database
       DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION docket.disconnect()`,
  )
  assert.equal(outcome.code, 1)
  assert.match(outcome.err, /Whether .* was restored is not known.*--replace/)
})
