-- Adds a job as graphile_worker.add_job does, without the notification: whoever commits tells the workers afterwards.
-- Private tables of graphile-worker, whose version is fixed; a test compares them with those that this function knows.

CREATE FUNCTION docket.add_job(kind text, payload json, run_at timestamptz DEFAULT now()) RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  kind_id integer;
BEGIN
  SELECT t.id INTO kind_id FROM graphile_worker._private_tasks t WHERE t.identifier = kind;
  IF kind_id IS NULL THEN
    INSERT INTO graphile_worker._private_tasks (identifier) VALUES (kind) ON CONFLICT DO NOTHING;
    SELECT t.id INTO STRICT kind_id FROM graphile_worker._private_tasks t WHERE t.identifier = kind;
  END IF;
  INSERT INTO graphile_worker._private_jobs (task_id, payload, run_at)
  VALUES (kind_id, add_job.payload, add_job.run_at);
  RETURN 1;
END $$;
