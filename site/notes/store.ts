import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { DatabaseSyncInstance } from '@photostructure/sqlite'
import { colours, type NewNote, type Note } from './note.ts'

/** The number of notes to keep. Older ones are deleted. */
const MAX_NOTES = 100

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS owned_notes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL,
    colour TEXT NOT NULL,
    written_at INTEGER NOT NULL,
    owner TEXT NOT NULL
  )
`

export interface StoredNote extends Omit<Note, 'isOwn'> {
  /** The id of the visitor who has written the note. It stays on the server: it proves who the visitor is. */
  owner: string
}

export interface NoteStore {
  /** Returns the notes, newest first. */
  list(): Promise<StoredNote[]>
  find(id: string): Promise<StoredNote | null>
  /** Adds a note of a visitor, and deletes the oldest notes beyond `MAX_NOTES`. */
  add(note: NewNote, owner: string): Promise<void>
  /** Deletes a note. Resolves to false if there was none with this id. */
  remove(id: string): Promise<boolean>
  close(): Promise<void>
}

/** Creates a store of notes in an SQLite file. It opens the file at the first use. */
export function createNoteStore(file = process.env.NOTES_DB ?? defaultFile()): NoteStore {
  let opened: Promise<DatabaseSyncInstance> | null = null

  function use(): Promise<DatabaseSyncInstance> {
    opened ??= open(file).catch((error: unknown) => {
      // Try again at the next use.
      opened = null
      throw error
    })
    return opened
  }

  return {
    async list() {
      const database = await use()
      return database.prepare('SELECT * FROM owned_notes ORDER BY id DESC LIMIT ?').all(MAX_NOTES).map(readRow)
    },
    async find(id) {
      if (!isId(id)) return null
      const row = (await use()).prepare('SELECT * FROM owned_notes WHERE id = ?').get(Number(id))
      return row === undefined ? null : readRow(row)
    },
    async add({ text, colour }, owner) {
      const database = await use()
      database
        .prepare('INSERT INTO owned_notes (text, colour, written_at, owner) VALUES (?, ?, ?, ?)')
        .run(text, colour, Date.now(), owner)
      database
        .prepare('DELETE FROM owned_notes WHERE id <= (SELECT id FROM owned_notes ORDER BY id DESC LIMIT 1 OFFSET ?)')
        .run(MAX_NOTES)
    },
    async remove(id) {
      if (!isId(id)) return false
      return (await use()).prepare('DELETE FROM owned_notes WHERE id = ?').run(Number(id)).changes > 0
    },
    async close() {
      const database = await opened?.catch(() => null)
      opened = null
      database?.close()
    },
  }
}

/** Returns a note as a visitor sees it. */
export function toNote({ owner, ...note }: StoredNote, visitor: string): Note {
  return { ...note, isOwn: owner === visitor }
}

function defaultFile(): string {
  // Each user of the machine has a separate file.
  return join(tmpdir(), `hydrant-notes-${userInfo().uid}.db`)
}

async function open(file: string): Promise<DatabaseSyncInstance> {
  const { DatabaseSync } = await import('@photostructure/sqlite')
  // How long to wait, in milliseconds, while another process writes.
  const database = new DatabaseSync(file, { timeout: 1_000 })
  database.exec('PRAGMA journal_mode = WAL')
  database.exec(SCHEMA)
  return database
}

function isId(id: string): boolean {
  return /^[1-9]\d{0,14}$/.test(id)
}

function readRow(row: unknown): StoredNote {
  // The columns of the table.
  const { id, text, colour, written_at, owner } = row as {
    id: number
    text: string
    colour: string
    written_at: number
    owner: string
  }
  return {
    id,
    text,
    colour: colours.find((name) => name === colour) ?? colours[0],
    writtenAt: new Date(written_at),
    owner,
  }
}
