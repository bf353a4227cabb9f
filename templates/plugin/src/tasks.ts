export interface Task {
  id: number
  text: string
}

/** Stands for your database. These tasks are lost when the server stops. */
export class Tasks {
  readonly #tasks: Task[] = [{ id: 1, text: 'Give this app its first page' }]

  list(): readonly Task[] {
    return this.#tasks
  }

  add(text: string): Task {
    const task = { id: this.#tasks.length + 1, text }
    this.#tasks.push(task)
    return task
  }
}
