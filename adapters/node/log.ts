export { createLog, LOG_LEVELS, type Log, type LogLevel, withoutSecretShapes } from './system/log.js';
