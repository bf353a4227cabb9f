// A module of its own, so that a browser loads it only for data that JSON cannot say.

export { unflatten } from 'devalue'
