import type { ClientBase } from 'pg'
import { parseUrl } from './addresses.ts'

export interface TableSet {
  /** The table that has the number of migrations which the tables have had. */
  versionTable: string
  /** The key of the advisory lock for the migrations: any number that no other program uses. */
  lock: number
  /** The migrations from each version to the next. A published migration must never change. */
  migrations: readonly string[]
  createNewer(version: number): Error
}

/**
 * Migrates tables to the newest version, in the transaction of `client`. Several servers may do so at the same time. The
 * user needs the permission to change tables only if there is something to migrate.
 */
export async function migrateTables(client: ClientBase, tables: TableSet): Promise<void> {
  const { versionTable, lock, migrations, createNewer } = tables
  if ((await hasTable(client, versionTable)) && (await readVersion(client, versionTable)) === migrations.length) return
  await client.query('SELECT pg_advisory_xact_lock($1)', [lock])
  // Reads the version again, because another server may have migrated the tables before this one got the lock.
  await client.query(`CREATE TABLE IF NOT EXISTS ${versionTable} (version integer NOT NULL)`)
  const version = await readVersion(client, versionTable)
  if (version > migrations.length) throw createNewer(version)
  for (const migration of migrations.slice(version)) await client.query(migration)
  await client.query(`DELETE FROM ${versionTable}`)
  await client.query(`INSERT INTO ${versionTable} (version) VALUES ($1)`, [migrations.length])
}

export async function hasTable(client: ClientBase, name: string): Promise<boolean> {
  const { rows } = await client.query<{ exists: boolean }>('SELECT to_regclass($1) IS NOT NULL AS exists', [name])
  return rows[0]?.exists ?? false
}

export async function readVersion(client: ClientBase, versionTable: string): Promise<number> {
  const { rows } = await client.query<{ version: number }>(`SELECT version FROM ${versionTable}`)
  return rows[0]?.version ?? 0
}

/** Returns whether a text begins like the URL of a PostgreSQL database. */
export function isPostgresUrl(text: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(text)
}

/** Returns whether the URL of a database can be parsed. `URL` rejects that of a socket file, because it has no host. */
export function isParsable(url: string): boolean {
  return parseUrl(url.replace('@/', '@socket/')) !== null
}

/** Returns the URL of a database without its secrets: `postgres://host/database`. */
export function placeOf(url: string): string {
  // Up to the last @, because a password may contain one. A parameter may be a password, too.
  return url.replace(/\/\/.*@/s, '//').replace(/\?.*$/s, '')
}
