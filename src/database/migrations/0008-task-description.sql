-- The description of a task is a text, empty by default.

DO $$
BEGIN
  IF to_regclass('records.task') IS NOT NULL THEN
    UPDATE records.task SET description = '' WHERE description IS NULL;
  END IF;
END $$;
