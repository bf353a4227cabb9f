import { createHydrantError } from '../../errors/hydrant-error.ts'
import type { Database } from './database.ts'
import { APPLICATION_ID, isMarked } from './foreign.ts'

/**
 * The migrations of a file from each version of its format to the next. The file's `user_version` is the number of
 * migrations that it has had. A published migration must never change.
 */
export const SQLITE_MIGRATIONS: readonly string[] = [
  `CREATE TABLE causes (
    cause TEXT PRIMARY KEY,
    side TEXT NOT NULL,
    phase TEXT NOT NULL,
    type TEXT NOT NULL,
    message TEXT NOT NULL,
    count INTEGER NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    first_release TEXT NOT NULL,
    last_release TEXT NOT NULL,
    route TEXT,
    source TEXT,
    solved_at INTEGER,
    search TEXT NOT NULL,
    error TEXT NOT NULL
  );
  CREATE INDEX causes_by_last_seen ON causes (last_seen DESC, cause);
  CREATE TABLE occurrences (
    id INTEGER PRIMARY KEY,
    cause TEXT NOT NULL REFERENCES causes ON DELETE CASCADE,
    digest TEXT NOT NULL,
    time INTEGER NOT NULL,
    route TEXT,
    is_recovered INTEGER NOT NULL,
    data TEXT NOT NULL
  );
  CREATE INDEX occurrences_by_cause ON occurrences (cause, time, route);
  CREATE INDEX occurrences_by_time ON occurrences (time);
  CREATE TABLE hours (
    cause TEXT NOT NULL REFERENCES causes ON DELETE CASCADE,
    hour INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (cause, hour)
  ) WITHOUT ROWID;
  CREATE INDEX hours_by_hour ON hours (hour);
  CREATE TABLE releases (
    release TEXT PRIMARY KEY,
    first_met INTEGER NOT NULL
  ) WITHOUT ROWID;`,
  // Makes the first character of fingerprints say the side: see fingerprintOfSide in src/shared/wire/digest-format.ts.
  // The digests of occurrences do not change, because visitors have read them.
  `CREATE TEMP TABLE renamed AS
    SELECT cause AS old, substr('GHJKMNPQRSTVWXYZ0123456789ABCDEF', place, 1) || substr(cause, 2) AS new
    FROM (SELECT cause, side, instr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', substr(cause, 1, 1)) AS place FROM causes)
    WHERE place > 0 AND (place > 16) <> (side = 'client');
  DELETE FROM renamed WHERE new IN (SELECT cause FROM causes);
  INSERT INTO causes (cause, side, phase, type, message, count, first_seen, last_seen, first_release, last_release, route,
      source, solved_at, search, error)
    SELECT new, side, phase, type, message, count, first_seen, last_seen, first_release, last_release, route,
      source, solved_at, lower(new) || substr(search, length(old) + 1), error
    FROM causes JOIN renamed ON cause = old;
  UPDATE occurrences SET cause = (SELECT new FROM renamed WHERE old = cause) WHERE cause IN (SELECT old FROM renamed);
  UPDATE hours SET cause = (SELECT new FROM renamed WHERE old = cause) WHERE cause IN (SELECT old FROM renamed);
  DELETE FROM causes WHERE cause IN (SELECT old FROM renamed);
  DROP TABLE renamed;`,
  // Also records when builds were first seen, because a release may be built several times. The release of existing
  // occurrences is not filled in: for many of them it would take long, and they are the first to be removed.
  `ALTER TABLE releases ADD COLUMN is_build INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE causes ADD COLUMN last_build TEXT;
  ALTER TABLE occurrences ADD COLUMN release TEXT;
  CREATE INDEX occurrences_by_release ON occurrences (cause, release);
  DROP INDEX IF EXISTS causes_by_last_seen;
  CREATE INDEX causes_by_last_seen ON causes (last_seen DESC, cause, side);`,
  // Renames causes to failures, because an error has a `cause` of its own. SQLite renames a table in foreign keys, too,
  // but it cannot rename an index.
  `ALTER TABLE causes RENAME TO failures;
  ALTER TABLE failures RENAME COLUMN cause TO fingerprint;
  ALTER TABLE occurrences RENAME COLUMN cause TO fingerprint;
  ALTER TABLE hours RENAME COLUMN cause TO fingerprint;
  DROP INDEX IF EXISTS causes_by_last_seen;
  CREATE INDEX failures_by_last_seen ON failures (last_seen DESC, fingerprint, side);
  DROP INDEX IF EXISTS occurrences_by_cause;
  CREATE INDEX occurrences_by_fingerprint ON occurrences (fingerprint, time, route);`,
]

/**
 * Migrates the database of a file to the newest version, and marks it as a ledger, in one transaction. Throws
 * HYD_LEDGER_NEWER.
 */
export function migrateSqlite(db: Database, migrations: readonly string[], file: string) {
  refuseNewer(db, migrations, file)
  const version = () => readVersion(db)
  if (version() === migrations.length && isMarked(db)) return
  const migrate = db.transaction(() => {
    // Reads the version again, because another process may have migrated the file.
    for (const migration of migrations.slice(version())) db.exec(migration)
    db.pragma(`user_version = ${migrations.length}`)
    db.pragma(`application_id = ${APPLICATION_ID}`)
  })
  migrate.immediate()
}

/** Throws HYD_LEDGER_NEWER for a file of a later version than that of `migrations`. */
export function refuseNewer(db: Database, migrations: readonly string[], file: string) {
  const version = readVersion(db)
  if (version > migrations.length) throw createHydrantError('HYD_LEDGER_NEWER', [file, version, migrations.length])
}

function readVersion(db: Database): number {
  return Number(db.pragma('user_version', { simple: true }))
}
