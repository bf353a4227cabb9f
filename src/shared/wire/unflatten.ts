// A separate module, so that a browser loads it only for data that JSON cannot represent.

export { unflatten } from 'devalue'
