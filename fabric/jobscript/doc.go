// Package jobscript reads what starts a job and what it starts with: Slurm batch scripts, shell scripts, files of environment settings and
// the ENV lines of Dockerfiles.
//
// Shell is read as a syntax tree. Variables whose values the script itself tells are filled in; everything else is unknown and stays so:
// nothing is run, and nothing is guessed. Every value knows its line and column.
package jobscript
